/**
 * The dimensions of counts. Logs and blocks keep places in this list, so names are added at its end, and never
 * removed.
 */
export const DIMENSIONS = [
  "path",
  "host",
  "ref",
  "ref_group",
  "source",
  "lang",
  "tz",
  "browser",
  "os",
  "device",
  "viewport",
  "country",
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "event",
  "event_target",
  "hi",
  "bot_kind",
  "app_os",
  "app_os_version",
  "app_tz_offset",
  "app_version",
  "app_device",
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Dimensions of apps and crawlers, and others that filters cannot use. */
export const WITHOUT_DETAIL: ReadonlySet<Dimension> = new Set([
  "hi",
  "bot_kind",
  "app_os",
  "app_os_version",
  "app_tz_offset",
  "app_version",
  "app_device",
]);

/** An event's name and target; all else is of views, unless only events are asked for. */
export const OF_EVENTS: ReadonlySet<Dimension> = new Set(["event", "event_target"]);

/** The kinds of counts that a value may be asked for. */
export const COUNTED_OF = ["views", "visitors", "sessions"] as const;
export type CountsOf = (typeof COUNTED_OF)[number];

/** A list of an answer: a dimension's values, or pages by the sessions that began with them. */
export type ListName = Dimension | "entry";

export const dimensionOf = (list: ListName): Dimension => (list === "entry" ? "path" : list);

/** The kind of counts that a list has where `of` is asked for: what no visitor or session has counts by itself. */
export function countsOf(list: ListName, of: CountsOf): CountsOf {
  if (list === "entry") return "sessions";
  return OF_EVENTS.has(list) || WITHOUT_DETAIL.has(list) ? "views" : of;
}

/** One value of each dimension that filters know, as people call it. */
export const ONE_OF: Readonly<Partial<Record<Dimension, string>>> = {
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
};

/** A dimension on the dashboard: its title, and its tab where the card says the rest. */
type Titled = readonly [name: string, title: string, tab?: string];

/** The cards of the dashboard, in its order. Some show values that are computed from counts. */
export const DIMENSION_CARDS: readonly (readonly [card: string, dimensions: readonly Titled[]])[] =
  [
    [
      "Pages",
      [
        ["path", "Pages", "All"],
        ["entry", "Entry pages", "Entry"],
        ["exit", "Exit pages", "Exit"],
        ["host", "Site addresses", "Addresses"],
      ],
    ],
    [
      "Sources",
      [
        ["source", "Sources of sessions", "Sources"],
        ["ref", "Referrers"],
        ["ref_group", "Kinds of referrer", "Kinds"],
        ["utm_campaign", "Campaigns"],
        ["utm_source", "Campaign sources"],
        ["utm_medium", "Campaign media"],
      ],
    ],
    [
      "Visitors",
      [
        ["country", "Countries"],
        ["lang", "Languages"],
        ["tz", "Time zones"],
      ],
    ],
    [
      "Technology",
      [
        ["browser", "Browsers"],
        ["os", "Operating systems", "Systems"],
        ["device", "Devices"],
        ["viewport", "Window widths", "Widths"],
      ],
    ],
    [
      "Behaviour",
      [
        ["hour", "Hours of the day", "Hours"],
        ["hi", "Time to the first touch", "First touch"],
      ],
    ],
    [
      "Events",
      [
        ["event", "Events", "All"],
        ["event_target", "Event targets", "Targets"],
      ],
    ],
    [
      "Desktop app",
      [
        ["app_version", "App versions", "Versions"],
        ["app_os", "App systems", "Systems"],
        ["app_os_version", "App system versions", "System versions"],
        ["app_tz_offset", "App time zone offsets", "Offsets"],
        ["app_device", "App devices", "Devices"],
      ],
    ],
    ["Bots", [["bot_kind", "Crawlers"]]],
  ];
