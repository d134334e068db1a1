import { version } from "../../base/system/version.ts";
import type { NumberSource } from "../../deck/display/live-numbers.ts";
import type { Channels } from "../../deck/push/channels.ts";
import { HomeAutomation, MQTT } from "../../links/mqtt/home-automation.ts";
import type { SiteSource } from "../../links/mqtt/link.ts";
import { documentsIn, type Numbers, type Store } from "../../store/store.ts";
import type { Alarms } from "../../traffic/alarms/alarms.ts";
import { ALARM_KINDS } from "../../traffic/alarms/state.ts";
import type { Closing } from "./closing.ts";
import type { Front } from "./front.ts";
import type { ServiceParts, Shared } from "./parts.ts";

/** The parts that a home automation sees and changes. */
interface HomeParts {
  store: Pick<Store, "box" | "numbers">;
  numbers: NumberSource;
  alarms: Pick<Alarms, "stateOf">;
  channels: Channels;
  front: Front;
}

/** The box at the broker of its owner's home automation, if there is one. */
export async function startHomeAutomation(
  { config, clock, log }: ServiceParts,
  { random }: Shared,
  closing: Closing,
  { store, numbers, alarms, channels, front: { board, decks } }: HomeParts,
): Promise<HomeAutomation> {
  const home = await HomeAutomation.open({
    clock,
    log: { info: (line) => log.info(line), warn: (line) => log.warn(line) },
    random: () => random.int(2 ** 32) / 2 ** 32,
    documents: documentsIn(store.box, MQTT),
    makeId: () => random.bytes(4).toString("hex"),
    declared: config.mqtt,
    channels,
    decks,
    sites: siteSource(store.numbers, numbers, alarms),
    describe: () => ({
      name: nameIn(board.addressByName()),
      version: version(),
      url: board.address(),
    }),
    described: board.changed,
  });
  closing.add(() => home.close());
  return home;
}

/** The box's name for people: `http://kitchen.local:3000/` → `Kitchen`. */
function nameIn(url: string | undefined): string {
  const [label = ""] = url === undefined ? [] : new URL(url).hostname.split(".");
  return label === "" ? "Tallydeck" : `${label.slice(0, 1).toUpperCase()}${label.slice(1)}`;
}

/** The sites, for the home automation. */
function siteSource(
  store: Pick<Numbers, "directory">,
  numbers: NumberSource,
  alarms: Pick<Alarms, "stateOf">,
): SiteSource {
  const kindsOf = (site: string) =>
    ALARM_KINDS.filter((kind) => alarms.stateOf(site, kind).state !== "off");
  const value = async (...asked: Parameters<NumberSource["numbers"]>) =>
    (await numbers.numbers(...asked))?.value;
  return {
    list: () => store.directory.sites.map(({ id }) => id),
    alarms: kindsOf,
    async figures(site) {
      const [views, visitors, live] = await Promise.all([
        value(site, "pv", "day"),
        value(site, "uv", "day"),
        value(site, "pv", "now"),
      ]);
      if (views === undefined || visitors === undefined || live === undefined) return undefined;
      const standing = kindsOf(site).map(
        (kind) => [kind, alarms.stateOf(site, kind).state === "firing"] as const,
      );
      return { views, visitors, live, alarms: Object.fromEntries(standing) };
    },
    changed: numbers.changed,
  };
}
