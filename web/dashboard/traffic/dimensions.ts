/** How a dimension is called and where it stands on the page. */
export interface DimensionFacts {
  name: string;
  title: string;
  /** its name on the tab of its card, where the card says the rest */
  tab: string;
  /** the card it is a tab of */
  group: string;
}

const GROUPS: [group: string, dimensions: [name: string, title: string, tab?: string][]][] = [
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
      ["ref", "Referrers"],
      ["ref_group", "Kinds of referrer", "Kinds"],
      ["source", "Sources of sessions", "Sessions"],
      ["utm_campaign", "Campaigns"],
      ["utm_source", "Campaign sources", "From"],
      ["utm_medium", "Campaign media", "Media"],
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
      ["hi", "Time to the first input", "First input"],
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

const KNOWN = new Map<string, DimensionFacts & { order: number }>();
for (const [group, list] of GROUPS) {
  for (const [name, title, tab = title] of list) {
    KNOWN.set(name, { name, title, tab, group, order: KNOWN.size });
  }
}

/** `new_thing` → `New thing`, for dimensions a newer collector may send. */
function factsOf(name: string): DimensionFacts & { order: number } {
  const words = name.replaceAll("_", " ");
  const title = words.charAt(0).toUpperCase() + words.slice(1);
  return KNOWN.get(name) ?? { name, title, tab: title, group: "More", order: KNOWN.size };
}

/** Counters have no values to break down, and day by hour has its heatmap. */
const ELSEWHERE = new Set(["pv", "uv", "sessions", "bounce", "engaged", "app", "bot", "dowhour"]);

/** The dimensions to break down, in the order of the page. */
export function breakdownDimensions(names: Iterable<string>): DimensionFacts[] {
  return [...names]
    .filter((name) => !ELSEWHERE.has(name))
    .map(factsOf)
    .sort((a, b) => a.order - b.order);
}

/** The name of a dimension, for people. */
export const titleOf = (name: string): string => factsOf(name).title;
