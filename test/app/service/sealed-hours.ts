/**
 * Lives through hours of a fake clock with a whole service, in the network in which it is started, once for each life of
 * its argument, a list as JSON. It prints what was lived as such a list, and ends once the last service has closed.
 */
import { execFileSync } from "node:child_process";
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
const SEAL = ["inet", "seal"];
const TOKEN = "a-token-of-the-owner";
const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0";

const nft = (...words: string[]) => execFileSync("nft", words, { encoding: "utf8" });

/** Hours of a service with settings of its own. */
export interface Life {
  readonly hours: number;
  readonly settings: Readonly<Record<string, string>>;
}

/** The numbers of a life's site, and what went out meanwhile, as nft lists it for each family of addresses. */
export interface Lived {
  readonly stats: { readonly pv: { readonly _: number } };
  readonly sent: readonly string[];
}

const SETS = ["sent4", "sent6"];

async function live({ hours, settings }: Life): Promise<Lived> {
  const clock = new FakeClock();
  const usb = new FakeUsbHost(clock);
  const deck = UNITS.mk2?.(clock);
  if (deck !== undefined) usb.plug(deck, { port: "1-1" });
  const service = await startService({
    config: readConfig({
      flags: { PORT: "0", WEBUI_PORT: "0" },
      env: { SITES: "blog", STATS_TOKEN: TOKEN, ...settings },
    }),
    clock,
    log: createLog((line) => console.error(line)),
    bus: createDeckBus(usb),
  });
  await until(() => service.store.numbers.ready);
  const collector = `http://127.0.0.1:${service.collector.port}`;
  const control = `http://127.0.0.1:${service.control.port}`;
  for (let hour = 0; hour < hours; hour++) {
    if (hour % HOURS_BETWEEN === 0) await lookAtAll(collector, control);
    // Timers of a second ring once a minute: they would take most of the time.
    for (let minute = 0; minute < 60; minute++) clock.jump(MINUTE_MS);
    await turn();
  }
  const stats = await fetch(`${collector}/stats?s=blog&days=30`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  const told = (await stats.json()) as Lived["stats"];
  await service.close();
  return { stats: told, sent: SETS.map((set) => nft("-j", "list", "set", ...SEAL, set)) };
}

/** A visitor's page, an app, and the owner, who looks at everything. */
async function lookAtAll(collector: string, control: string): Promise<void> {
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

const lived: Lived[] = [];
for (const life of JSON.parse(process.argv[2] ?? "[]") as Life[]) {
  lived.push(await live(life));
  for (const set of SETS) nft("flush", "set", ...SEAL, set);
}
console.log(JSON.stringify(lived));
