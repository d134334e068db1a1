/**
 * The dimensions of counts, with what people call one value; null for those of apps and crawlers, and others that filters
 * cannot use. Logs and blocks keep places in this list, so names are added at its end, and never removed.
 */
export const ONE_OF = {
  path: "Page",
  host: "Address",
  ref: "Referrer",
  ref_group: "Kind of referrer",
  source: "Source",
  lang: "Language",
  tz: "Time zone",
  browser: "Browser",
  os: "System",
  device: "Device",
  viewport: "Window",
  country: "Country",
  utm_source: "Campaign source",
  utm_medium: "Campaign medium",
  utm_campaign: "Campaign",
  event: "Event",
  event_target: "Event target",
  hi: null,
  bot_kind: null,
  app_os: null,
  app_os_version: null,
  app_tz_offset: null,
  app_version: null,
  app_device: null,
  again: "Last here",
  browser_version: "Browser version",
  os_version: "System version",
  time: "Time on page",
  depth: "Depth read",
  event_prop: "Property of an event",
  event_value: null,
  left_out: null,
} as const;
export type Dimension = keyof typeof ONE_OF;

export const DIMENSIONS = Object.keys(ONE_OF) as readonly Dimension[];

export const WITHOUT_DETAIL: ReadonlySet<Dimension> = new Set(
  DIMENSIONS.filter((name) => ONE_OF[name] === null),
);

/** The dimensions whose values can be made one. */
export const MERGEABLE = [
  "path",
  "host",
  "ref",
  "source",
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "event",
  "event_target",
] as const satisfies readonly Dimension[];

/** The most rules for values of a site. */
export const MAX_VALUE_RULES = 200;

/** A value of a dimension that counts as another one. */
export interface ValueRule {
  readonly dimension: (typeof MERGEABLE)[number];
  readonly from: string;
  readonly to: string;
}

/** All else is of views, unless only events are asked for. */
export const OF_EVENTS: ReadonlySet<Dimension> = new Set([
  "event",
  "event_target",
  "event_prop",
  "event_value",
]);

/** The same of readings: what is told of a view when its page is left. */
export const OF_READINGS: ReadonlySet<Dimension> = new Set(["time", "depth"]);

/** The rows that a dimension has values of. */
export function rowsOf(name: Dimension): "views" | "events" | "readings" {
  return OF_EVENTS.has(name) ? "events" : OF_READINGS.has(name) ? "readings" : "views";
}

/** The kinds of counts that a value may be asked for. */
export const COUNTED_OF = ["views", "visitors", "sessions"] as const;
export type CountsOf = (typeof COUNTED_OF)[number];

/** A list of an answer: a dimension's values, or pages by the sessions that began with them. */
export type ListName = Dimension | "entry";

export const dimensionOf = (list: ListName): Dimension => (list === "entry" ? "path" : list);

/** The kind of counts that a list has where `of` is asked for: what no visitor or session has counts by itself. */
export function countsOf(list: ListName, of: CountsOf): CountsOf {
  if (list === "entry") return "sessions";
  return rowsOf(dimensionOf(list)) !== "views" || WITHOUT_DETAIL.has(dimensionOf(list))
    ? "views"
    : of;
}

/** The dimensions on the dashboard by its cards, in its order. Some show values that are computed from counts. */
export const DIMENSION_CARDS: readonly (readonly [
  card: string,
  name: string,
  title: string,
  /** Its name on a tab, where the card says the rest. */
  tab?: string,
])[] = [
  ["Pages", "path", "Pages", "All"],
  ["Pages", "entry", "Entry pages", "Entry"],
  ["Pages", "host", "Site addresses", "Addresses"],
  ["Sources", "source", "Sources of sessions", "Sources"],
  ["Sources", "ref", "Referrers"],
  ["Sources", "ref_group", "Kinds of referrer", "Kinds"],
  ["Sources", "utm_campaign", "Campaigns"],
  ["Sources", "utm_source", "Campaign sources", "By source"],
  ["Sources", "utm_medium", "Campaign media", "By medium"],
  ["Visitors", "country", "Countries"],
  ["Visitors", "lang", "Languages"],
  ["Visitors", "tz", "Time zones"],
  ["Visitors", "again", "New and returning"],
  ["Technology", "browser", "Browsers"],
  ["Technology", "os", "Operating systems", "Systems"],
  ["Technology", "browser_version", "Browser versions"],
  ["Technology", "os_version", "System versions"],
  ["Technology", "device", "Devices"],
  ["Technology", "viewport", "Window widths", "Widths"],
  ["Behaviour", "dowhour", "Hours of the week", "Week"],
  ["Behaviour", "hour", "Hours of the day", "Hours"],
  ["Behaviour", "time", "Time on page", "Time"],
  ["Behaviour", "depth", "Depth read", "Depth"],
  ["Behaviour", "hi", "Time to the first touch", "First touch"],
  ["Events", "event", "Events", "All"],
  ["Events", "event_target", "Event targets", "Targets"],
  ["Events", "event_prop", "Event properties", "Properties"],
  ["Desktop app", "app_version", "App versions", "Versions"],
  ["Desktop app", "app_os", "App systems", "Systems"],
  ["Desktop app", "app_os_version", "App system versions", "System versions"],
  ["Desktop app", "app_tz_offset", "App time zone offsets", "Offsets"],
  ["Desktop app", "app_device", "App devices", "Devices"],
  ["Bots", "bot_kind", "Crawlers"],
];
