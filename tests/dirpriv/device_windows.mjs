// When reports leave, on the days of some years and in several time zones, as JSON: for each zone how many moments there
// are, how many of them lie outside of their window by the clock of the zone, and on how many days no report leaves.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { sendingMoment } = await import(new URL("survey.mjs", pathToFileURL(process.argv[2])));
const found = {};
for (const zone of JSON.parse(readFileSync(0))) {
  process.env.TZ = zone;
  const one = (found[zone] = { moments: 0, wrong: 0, without: 0 });
  for (const at of ["00:00", "00:30", "01:50", "02:00", "02:30", "02:50", "20:00", "23:10", "23:50", "23:59"]) {
    const [hour, minute] = at.split(":").map(Number);
    for (const share of [0, 0.999]) {
      let last = 0;
      for (let now = Date.UTC(2024, 0, 1); now < Date.UTC(2026, 0, 1); now += 5 * 3600000) {
        const moment = sendingMoment(at, new Date(now), share), clock = new Date(moment);
        const after = (clock.getHours() - hour + 24) % 24 * 60 + clock.getMinutes() - minute;
        one.moments++;
        if (!(moment > now && moment >= last && ((after + 1440) % 1440) < 15)) one.wrong++;
        if (last && moment - last > 30 * 3600000) one.without++;
        last = moment;
      }
    }
  }
}
console.log(JSON.stringify(found));
