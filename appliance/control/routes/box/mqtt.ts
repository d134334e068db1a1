import { fraction } from "../../../base/random.ts";
import { version } from "../../../base/system/version.ts";
import { closeWith } from "../../../base/tasks/closing.ts";
import type { BoxNotices } from "../../../box/box-notices.ts";
import type { Decks } from "../../../deck/decks.ts";
import type { NumberSource } from "../../../deck/display/live-numbers.ts";
import type { Channels } from "../../../deck/push/channels.ts";
import { HomeAutomation, MQTT } from "../../../links/mqtt/home-automation.ts";
import type { SiteSource } from "../../../links/mqtt/link.ts";
import { MQTT_FIELDS } from "../../../links/mqtt/settings.ts";
import { documentsIn, type Numbers } from "../../../store/store.ts";
import type { Alarms } from "../../../traffic/alarms/alarms.ts";
import { ALARM_KINDS } from "../../../traffic/alarms/state.ts";
import type { OwnerContext } from "../../context.ts";
import { bodyWith } from "../../input.ts";
import type { RoutesOf } from "../../route.ts";
import type { PlaceWatch } from "../../standing/place-watch.ts";
import type { MqttAnswer } from "../../wire.ts";
import { declared } from "../sites/sites.ts";

const readChange = bodyWith({}, MQTT_FIELDS);

const ROUTES: RoutesOf<HomeAutomation> = {
  "GET /api/mqtt": (_, home) => view(home),

  /** Missing fields stay as they are, but for the password with another broker, which must not get the old one → as `GET` */
  "PUT /api/mqtt": async (ctx, home): Promise<MqttAnswer> => {
    const change = await readChange(ctx);
    if (home.isDeclared) throw declared("MQTT_URL");
    const { settings } = home;
    const goesElsewhere = change.url !== undefined && change.url !== settings.url;
    await home.change({ ...settings, ...(goesElsewhere && { password: "" }), ...change });
    return view(home);
  },
};

/** Never the password. */
function view({ settings, box, isDeclared, state }: HomeAutomation): MqttAnswer {
  const { password, ...shown } = settings;
  return {
    ...shown,
    hasPassword: password !== "",
    declared: isDeclared,
    box,
    state: state ?? null,
  };
}

/** The parts that a home automation sees and changes. */
interface HomeParts {
  siteNumbers: NumberSource;
  alarms: Pick<Alarms, "stateOf">;
  channels: Channels;
  board: BoxNotices;
  decks: Decks;
  placeWatch: PlaceWatch;
}

/** The box at the broker of its owner's home automation, if there is one. */
export async function startHomeAutomation({
  config,
  clock,
  log,
  random,
  store,
  routes,
  ends,
  siteNumbers,
  alarms,
  channels,
  board,
  decks,
  placeWatch,
}: OwnerContext & HomeParts): Promise<HomeAutomation> {
  const home = await HomeAutomation.open({
    clock,
    log: { info: (line) => log.info(line), warn: (line) => log.warn(line) },
    random: () => fraction(random),
    documents: documentsIn(store.local, MQTT),
    makeId: () => random.bytes(4).toString("hex"),
    declared: config.mqtt,
    channels,
    decks,
    sites: siteSource(store.numbers, siteNumbers, alarms),
    places: () => placeWatch.names(),
    describe: () => ({
      name: nameIn(board.addressByName()),
      version: version(),
      url: board.address(),
    }),
    described: board.changed,
  });
  routes.owner(home, ROUTES);
  return closeWith(ends, home);
}

/** The box's name for people: `http://kitchen.local:3000/` → `Kitchen`. */
function nameIn(url: string | undefined): string {
  const [label = ""] = url === undefined ? [] : new URL(url).hostname.split(".");
  return label === "" ? "Tallydeck" : `${label.slice(0, 1).toUpperCase()}${label.slice(1)}`;
}

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
