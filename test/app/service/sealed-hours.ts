/**
 * Lives through hours of a fake clock with a whole service, in the network in which it is started. The arguments are the
 * number of hours, and settings as JSON. It prints the numbers of the site, and ends once the service has closed.
 */
import { setImmediate as turn } from "node:timers/promises";
import { startService } from "../../../appliance/app/service/service.ts";
import { createLog } from "../../../appliance/base/log.ts";
import { readConfig } from "../../../appliance/config/config.ts";
import { createDeckBus } from "../../../appliance/deck/usb/hid.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { FakeUsbHost } from "../../helpers/fake-hid.ts";
import { UNITS } from "../../helpers/fake-hid-units.ts";
import { until } from "../../helpers/until.ts";

const MINUTE_MS = 60_000;
/** Hours from a look at everything to the next: each starts a thread to read, which ends in between. */
const HOURS_BETWEEN = 8;
const TOKEN = "a-token-of-the-owner";
const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0";

const [hours = "1", settings = "{}"] = process.argv.slice(2);
const clock = new FakeClock();
const usb = new FakeUsbHost(clock);
const deck = UNITS.mk2?.(clock);
if (deck !== undefined) usb.plug(deck, { port: "1-1" });
const service = await startService({
  config: readConfig({
    flags: { PORT: "0", WEBUI_PORT: "0" },
    env: { SITES: "blog", STATS_TOKEN: TOKEN, ...JSON.parse(settings) },
  }),
  clock,
  log: createLog((line) => console.error(line)),
  bus: createDeckBus(usb),
});
await until(() => service.store.numbers.ready);
const collector = `http://127.0.0.1:${service.collector.port}`;
const control = `http://127.0.0.1:${service.control.port}`;

/** A visitor's page, an app, and the owner, who looks at everything. */
async function lookAtAll(): Promise<void> {
  const view = Buffer.from(JSON.stringify({ p: "/", r: "https://search.example/" })).toString(
    "base64url",
  );
  const said = { headers: { "user-agent": BROWSER } };
  const answers = [
    await fetch(`${collector}/e?s=blog&v=${view}`, said),
    await fetch(`${collector}/dashboard`, said),
    await fetch(`${collector}/stats?s=blog`, { headers: { authorization: `Bearer ${TOKEN}` } }),
    await fetch(`${control}/docs/index`, said),
    await fetch(`${control}/api/box`, said),
    await fetch(`${control}/api/diagnostics`, said),
  ];
  for (const answer of answers) await answer.arrayBuffer();
}

for (let hour = 0; hour < Number(hours); hour++) {
  if (hour % HOURS_BETWEEN === 0) await lookAtAll();
  // Timers of a second ring once a minute: they would take most of the time.
  for (let minute = 0; minute < 60; minute++) clock.jump(MINUTE_MS);
  await turn();
}
const stats = await fetch(`${collector}/stats?s=blog&days=30`, {
  headers: { authorization: `Bearer ${TOKEN}` },
});
console.log(await stats.text());
await service.close();
