// What tests/dirpriv/test_device.py asks of the sampler, as JSON on the standard input; the answers as JSON.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { checkedRelease } = await import(pathToFileURL(process.argv[2]));
const answers = [];
for (const { document, promise = document, uniforms = [], seconds = [], cells = [], draws = 0 } of JSON.parse(readFileSync(0))) {
  try {
    const release = await checkedRelease(document, promise), counts = new Array(draws ? release.cells : 0).fill(0);
    for (let i = 0; i < draws; i++) counts[release.randomise(0)]++;
    answers.push({
      steps: uniforms.map((u) => release.find(BigInt(`0x${u}`))), cells: seconds.map((s) => release.cellOf(s)),
      labels: cells.map((c) => release.label(c)), counts,
    });
  } catch (error) {
    answers.push({ refused: error.message });
  }
}
console.log(JSON.stringify(answers));
