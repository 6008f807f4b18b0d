// The page of a survey: asks, explains, draws once, stores, shows, sends. `dirpriv device` puts it into one file.
import { checkedRelease, randomHex, sha256 } from "./dirpriv.mjs";

const SURVEY_FIELDS = "column,every,format,id,question,release,send_at,send_to";
const WINDOW = 15 * 60000; // ms in which a report leaves, beginning at send_at
const LATE = 60000; // a timer that is later was asleep, and waits for the next window

/**
 * A survey whose release holds the promise that its page shows.
 * @param {any} survey @param {{level: number, radius_cells?: number, radius_metres?: string}} shown
 */
export async function checkedSurvey(survey, shown) {
  const fits = survey !== null && typeof survey === "object" && Object.keys(survey).sort().join() === SURVEY_FIELDS
    && survey.format === "dirpriv.survey/2" && ["question", "id"].every((name) => typeof survey[name] === "string")
    && ["once", "day"].includes(survey.every) && (survey.send_to === null || typeof survey.send_to === "string")
    && (survey.send_at === null || /^([01]\d|2[0-3]):[0-5]\d$/.test(survey.send_at));
  if (!fits) throw new RangeError("this is no survey of the format dirpriv.survey/2");
  const release = await checkedRelease(survey.release, shown), { name, names = [name] } = survey.column ?? {};
  const id = await sha256([survey.format, survey.question, names.join(", "), survey.every, release.sha256].join("\n"));
  if (id !== survey.id) throw new RangeError("the survey has a wrong id: it was changed");
  return { ...survey, checked: release };
}

/** The period in which a question is answered once: a local day, or all time. @param {string} every @param {Date} now */
export function periodOf(every, now) {
  const two = (/** @type {number} */ x) => String(x).padStart(2, "0");
  return every === "day" ? `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}` : "once";
}

/** Where the report of a period is stored: by question and period, never by value. @param {any} survey @param {Date} now */
export const keyOf = (survey, now) => `dirpriv ${periodOf(survey.every, now)} ${survey.question}`;

/** What is stored under a key; null where that is nothing of a survey, as of another page of the site. @param {Storage} storage @param {string} key */
function keptAt(storage, key) {
  try {
    const kept = JSON.parse(/** @type {any} */ (storage.getItem(key)));
    return [kept.day, kept.report.survey].every((one) => typeof one === "string") ? kept : null;
  } catch { return null; }
}

/**
 * The first text that was claimed for a key. Of two tabs one is first, though what one puts into localStorage reaches
 * the other late: transactions of a database wait for each other. @param {string} key @param {string} text
 * @returns {Promise<string>}
 */
const claim = (key, text) => new Promise((done, fail) => {
  const opening = indexedDB.open("dirpriv", 1), refuse = () => fail(new Error("this browser stores nothing"));
  opening.onupgradeneeded = () => opening.result.createObjectStore("reports");
  opening.onerror = refuse;
  opening.onsuccess = () => {
    const transaction = opening.result.transaction("reports", "readwrite"), reports = transaction.objectStore("reports");
    const earlier = reports.get(key);
    earlier.onsuccess = () => { if (earlier.result === undefined) reports.put(text, key); };
    transaction.oncomplete = () => { opening.result.close(); done(earlier.result ?? text); };
    transaction.onabort = refuse;
  };
});

/**
 * The one report of this question and period: stored before it is shown, whatever is entered later.
 * @param {any} survey a checked one @param {any} answer the second of the period, or [latitude, longitude]
 * @param {{storage: Storage, locks: {request: Function}, claim: Function, now?: Date}} device
 */
export function answerOnce(survey, answer, { storage, locks, claim, now = new Date() }) {
  const key = keyOf(survey, now);
  return locks.request(key, async () => { // of two tabs, one waits here for the other
    const release = survey.checked, cell = release.cellOf(answer), kept = keptAt(storage, key);
    if (kept !== null) return kept;
    const report = { format: "dirpriv.report/1", survey: survey.id, ...release.report(release.randomise(cell)), nonce: randomHex(16) };
    const text = await claim(key, JSON.stringify({ report, day: periodOf("day", now), sent: false }));
    storage.setItem(key, text);
    if (storage.getItem(key) !== text) throw new Error("this browser stores nothing");
    return JSON.parse(text);
  });
}

/**
 * When reports of earlier days leave, in ms: within the next window that begins after now. It depends on the clock of the
 * survey and on chance alone. A report of the same day would tell whether it was drawn before the window. Where the clock
 * is changed in a window, or leaves it out, there is none on that day. @param {string} at as "20:00", local time @param {Date} now @param {number} share of the window
 */
export function sendingMoment(at, now, share) {
  const [hour, minute] = at.split(":").map(Number);
  for (let day = now.getDate(); ; day++) {
    const start = new Date(now.getFullYear(), now.getMonth(), day, hour, minute), last = new Date(start.getTime() + WINDOW - 1);
    const whole = start.getHours() === hour && start.getMinutes() === minute && start.getTimezoneOffset() === last.getTimezoneOffset();
    if (whole && start > now) return start.getTime() + share * WINDOW;
  }
}

/**
 * Send the stored reports of a survey that were not sent: at once, or those of earlier days. Resolves to whether all
 * of them have arrived.
 * @param {any} survey @param {any} device
 */
export function sendAll(survey, { storage, locks, post, now = new Date() }) {
  return locks.request(`dirpriv send ${survey.id}`, async () => {
    let all = true;
    for (const key of Array.from({ length: storage.length }, (_, i) => storage.key(i)).filter((k) => k.startsWith("dirpriv "))) {
      const kept = keptAt(storage, key);
      if (!kept || kept.sent || kept.report.survey !== survey.id || (survey.send_at && kept.day >= periodOf("day", now))) continue;
      const arrived = await post(survey.send_to, JSON.stringify(kept.report)).catch(() => false);
      if (arrived) storage.setItem(key, JSON.stringify({ ...kept, sent: true }));
      all = all && arrived;
    }
    return all;
  });
}

/** @param {string} url @param {string} text */
const post = async (url, text) => (await fetch(url, {
  method: "POST", body: text, headers: { "Content-Type": "text/plain" }, // no preflight: it would be one more sign
  credentials: "omit", referrerPolicy: "no-referrer", cache: "no-store", redirect: "error",
})).ok;

/** Fill the page and let it work. */
async function start() {
  const get = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
  const show = (/** @type {string} */ id) => { for (const one of ["consent", "ask", "done"]) get(one).hidden = one !== id; };
  const fail = (/** @type {any} */ error) => { show(""); get("refused").hidden = false; get("reason").textContent = error.message; };
  try {
    if (window.top !== window) throw new Error("this page draws nothing inside another page, where it could not see an earlier report: open it in a window of its own");
    if (!isSecureContext) throw new Error("this page works from an https address, from localhost, or as a file on a computer");
    const embedded = JSON.parse(get("survey").textContent), { level, radius } = get("promise").dataset;
    const survey = await checkedSurvey(embedded, { level: Number(level), radius_cells: Number(radius), radius_metres: radius });
    const release = survey.checked, storage = localStorage, locks = navigator.locks;
    storage.setItem("dirpriv", "1");
    if (storage.getItem("dirpriv") !== "1" || !locks) throw new Error("this browser stores nothing, or has no locks");
    storage.removeItem("dirpriv");
    get("level").textContent = String(release.level);
    get("radius").textContent = release.radius;
    get("examples").textContent = Array.from({ length: 8 }, () => release.example()).join(", ");
    const device = { storage, locks, claim, post };
    const sendLater = (/** @type {string} */ at) => {
      const moment = sendingMoment(at, new Date(), crypto.getRandomValues(new Uint32Array(1))[0] / 2 ** 32);
      setTimeout(() => (Date.now() - moment < LATE ? send() : sendLater(at)), moment - Date.now());
    };
    const send = async () => {
      const arrived = await sendAll(survey, device);
      reveal();
      if (!arrived) get("state").textContent = "The report was not sent. Open this page again later to send the same report.";
      if (survey.send_at) sendLater(survey.send_at);
    };
    const reveal = () => {
      const kept = keptAt(storage, keyOf(survey, new Date()));
      if (kept === null) return false;
      const { report, sent } = kept;
      show("done");
      get("report").textContent = report.survey === survey.id ? release.shown(report) : "of other settings";
      get("text").value = JSON.stringify(report);
      get("copying").hidden = survey.send_to !== null;
      get("other").hidden = report.survey === survey.id;
      if (survey.send_to !== null) get("state").textContent = sent ? "It was sent." : survey.send_at
        ? `The page sends it on a later day, at a random time within 15 minutes after ${survey.send_at}. Open the page before then.`
        : "It is being sent.";
      return true;
    };
    get("agree").addEventListener("click", () => { show("ask"); get("ask").querySelector("input").focus(); });
    get("find")?.addEventListener("click", () => {
      get("found").textContent = "Searching …";
      navigator.geolocation.getCurrentPosition(({ coords }) => {
        for (const name of ["latitude", "longitude"]) get(name).value = coords[/** @type {"latitude"} */ (name)];
        get("found").textContent = `Found, to ${Math.ceil(coords.accuracy)} m.`;
      }, () => { get("found").textContent = "Not found: please enter two numbers."; }, { enableHighAccuracy: true, timeout: 30000 });
    });
    const answer = () => {
      if (get("latitude")) return ["latitude", "longitude"].map((name) => Number(get(name).value));
      const [hour, minute, second = 0] = get("time").value.split(":").map(Number);
      return Number(get("day")?.value ?? 0) * 86400 + hour * 3600 + minute * 60 + second;
    };
    get("ask").addEventListener("submit", async (/** @type {Event} */ event) => {
      event.preventDefault();
      try {
        await answerOnce(survey, answer(), device);
        get("ask").reset(); // what was entered is gone
        if (get("found")) get("found").textContent = "";
        reveal();
        get("done").focus();
        if (survey.send_to !== null && survey.send_at === null) await send();
      } catch (error) { fail(error); }
    });
    get("copy").addEventListener("click", async () => {
      get("text").select();
      await navigator.clipboard.writeText(get("text").value).catch(() => document.execCommand("copy"));
      get("state").textContent = "It is copied.";
    });
    addEventListener("storage", reveal); // another tab has answered
    if (!reveal()) show("consent");
    if (survey.send_to !== null) { if (survey.send_at) sendLater(survey.send_at); else await send(); }
  } catch (error) { fail(error); }
}

if (globalThis.document) start();
