// A survey on devices without a page: stores and locks are plain objects. What is found, as JSON.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const beside = new URL("survey.mjs", pathToFileURL(process.argv[2]));
const { answerOnce, checkedSurvey, keyOf, periodOf, sendAll, sendingMoment } = await import(beside);
const { survey: document, shown, script, answers: [eight, nine, five, none] } = JSON.parse(readFileSync(0));

class Store {
  kept = new Map();
  get length() { return this.kept.size; }
  key(i) { return [...this.kept.keys()][i]; }
  getItem(key) { return this.kept.get(key) ?? null; }
  setItem(key, text) { this.kept.set(key, text); }
}
class Forgetful extends Store { setItem() {} }
class Locks { // one after another, as Web Locks
  last = Promise.resolve();
  request(_, work) { return (this.last = this.last.catch(() => {}).then(() => new Promise((done) => setTimeout(done, 1))).then(work)); }
}
await import(`data:text/javascript,${encodeURIComponent(script)}`); // both modules in one, as in a page
const caught = (work) => work().then(() => "accepted", (error) => error.message);
const claimed = new Map(), claim = (key, text) => claimed.get(key) ?? (claimed.set(key, text), text);
const survey = await checkedSurvey(document, shown), device = { storage: new Store(), locks: new Locks(), claim };
const noon = new Date(2026, 5, 1, 12), later = new Date(2026, 5, 1, 18), next = new Date(2026, 5, 2, 12);
const tabs = await Promise.all([eight, nine, five].map((s) => answerOnce(survey, s, { ...device, now: noon })));
const late = await answerOnce(survey, five, { ...device, storage: new Store(), now: noon }); // its store lags behind
const again = await answerOnce(survey, five, { ...device, now: later });
const tomorrow = await answerOnce({ ...survey, every: "day" }, eight, { ...device, now: next });
const sent = [], post = async (url, text) => { sent.push([url, JSON.parse(text)]); return sent.length > 1; };
const posted = [];
for (const now of [later, new Date(2026, 5, 2, 20, 5), next, new Date(2026, 5, 3, 20), new Date(2026, 5, 4, 20)]) posted.push([await sendAll(survey, { ...device, post, now }), sent.length]);
// what another page of the site has put there, also under the key of this question
const texts = ["hello", "null", "{}", "5", "[]", '"x"', "", '{"report":null,"day":"2026-05-01"}', '{"report":{"survey":5},"day":"2026-05-01"}'];
const among = [];
for (const own of ["", ...texts]) {
  const storage = new Store(), strange = { ...device, storage, claim: (_, text) => text }, arrived = [], key = keyOf(survey, noon);
  texts.forEach((text, i) => storage.setItem(`dirpriv notes ${i}`, text));
  if (own) storage.setItem(key, own);
  const { report } = await answerOnce(survey, eight, { ...strange, now: noon });
  const all = await caught(() => sendAll(survey, { ...strange, now: next, post: async (_, text) => arrived.push(JSON.parse(text)) }));
  const kept = texts.every((text, i) => storage.getItem(`dirpriv notes ${i}`) === text);
  among.push([all, kept, arrived.length, JSON.stringify(arrived[0]) === JSON.stringify(report)]);
}
console.log(JSON.stringify({
  among,
  tabs, late, again, tomorrow, sent, posted, stored: device.storage.length, periods: ["once", "day"].map((every) => periodOf(every, noon)),
  forgetful: await caught(() => answerOnce(survey, eight, { ...device, claim: (_, text) => text, storage: new Forgetful() })),
  outside: await caught(() => answerOnce(survey, none, { ...device, storage: new Store() })),
  moments: [noon, later, new Date(2026, 5, 1, 20), new Date(2026, 5, 1, 20, 10)].map((now) => (sendingMoment("20:00", now, 0.5) - new Date(2026, 5, 1)) / 60000),
  changed: await Promise.all(Object.entries({ question: "Another?", column: "other", every: "never", id: "0", send_to: 1, send_at: "8pm", extra: 1 })
    .map(([name, value]) => caught(() => checkedSurvey({ ...document, [name]: value }, shown)))),
  level: await caught(() => checkedSurvey(document, { ...shown, level: 0.5 })),
}));
