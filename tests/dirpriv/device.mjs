// What tests/dirpriv/test_device.py asks of the sampler, as JSON on the standard input; the answers as JSON. In a browser
// a page calls answered() itself.

const big = (hex) => BigInt(`0x${hex}`);

/** The answers, and roots with a square root that errs by some units in the last place. */
async function answered({ checkedRelease, root }, questions) {
  const answers = [];
  for (const { document, promise = document, uniforms = [], seconds = [], cells = [], proposals = [], places = [], roots = [], off = 0, draws = 0, from = 0 } of questions) {
    try {
      if (roots.length) {
        const honest = Math.sqrt;
        Math.sqrt = (x) => honest(x) * (1 + off * Number.EPSILON);
        answers.push({ roots: roots.map(root), plain: roots.map((n) => Math.sqrt(n)) });
        Math.sqrt = honest;
        continue;
      }
      const release = await checkedRelease(document, promise), counts = {}, plane = "region_centre" in document;
      const start = performance.now();
      for (let i = 0; i < draws; i++) {
        const cell = release.randomise(plane ? [from, 0] : from);
        counts[cell] = (counts[cell] ?? 0) + 1;
      }
      answers.push({
        microseconds: (performance.now() - start) * 1000 / draws, counts,
        steps: uniforms.map((u) => release.find(big(u))), cells: [...seconds, ...places].map((one) => release.cellOf(one)),
        labels: cells.map((c) => release.label(c)), offsets: proposals.map((each) => release.propose(...each.map(big))),
        total: plane ? release.total.toString(16) : "", shown: plane && places.length ? release.shown(release.report([40, -30])) : "",
      });
    } catch (error) {
      answers.push({ refused: error.message });
    }
  }
  return answers;
}

if (globalThis.process) {
  const [{ readFileSync }, { pathToFileURL }] = [await import("node:fs"), await import("node:url")];
  console.log(JSON.stringify(await answered(await import(pathToFileURL(process.argv[2])), JSON.parse(readFileSync(0)))));
}
