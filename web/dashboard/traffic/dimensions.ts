/** How a dimension is called and where it stands on the page. */
export interface DimensionFacts {
  name: string;
  title: string;
  group: string;
}

const GROUPS: [group: string, dimensions: [name: string, title: string][]][] = [
  [
    "Content",
    [
      ["path", "Pages"],
      ["event", "Events"],
      ["event_target", "Event targets"],
    ],
  ],
  [
    "Sources",
    [
      ["ref", "Referrers"],
      ["ref_group", "Kinds of referrer"],
      ["utm_source", "Campaign sources"],
      ["utm_medium", "Campaign media"],
      ["utm_campaign", "Campaigns"],
    ],
  ],
  [
    "Visitors",
    [
      ["country", "Countries"],
      ["lang", "Languages"],
      ["tz", "Time zones"],
      ["host", "Site addresses"],
    ],
  ],
  [
    "Technology",
    [
      ["browser", "Browsers"],
      ["os", "Operating systems"],
      ["device", "Devices"],
      ["viewport", "Window widths"],
    ],
  ],
  [
    "Behaviour",
    [
      ["hi", "Time to first interaction (ms)"],
      ["hour", "Hours of the day (UTC)"],
    ],
  ],
  ["Bots", [["bot_kind", "Crawlers"]]],
  [
    "Desktop app",
    [
      ["app_version", "App versions"],
      ["app_os", "App systems"],
      ["app_os_version", "App system versions"],
      ["app_tz_offset", "App time zone offsets"],
      ["app_device", "App devices"],
    ],
  ],
];

const KNOWN = new Map<string, DimensionFacts & { order: number }>();
for (const [group, list] of GROUPS) {
  for (const [name, title] of list) KNOWN.set(name, { name, title, group, order: KNOWN.size });
}

/** `new_thing` → `New thing`, for dimensions a newer collector may send. */
function factsOf(name: string): DimensionFacts & { order: number } {
  const words = name.replaceAll("_", " ");
  const title = words.charAt(0).toUpperCase() + words.slice(1);
  return KNOWN.get(name) ?? { name, title, group: "More", order: KNOWN.size };
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

const REGIONS = new Intl.DisplayNames("en", { type: "region" });
const LANGUAGES = new Intl.DisplayNames("en", { type: "language" });

/** What a value is called where its stored form is a code: countries and languages. */
export function valueName(dimension: string, value: string): string | null {
  try {
    if (dimension === "country" && /^[A-Z]{2}$/.test(value)) return named(REGIONS, value);
    if (dimension === "lang" && /^[a-z]{2,3}$/.test(value)) return named(LANGUAGES, value);
  } catch {
    // A code that is none: its stored form is all there is to show.
  }
  return null;
}

function named(names: Intl.DisplayNames, code: string): string | null {
  const name = names.of(code);
  return name === code ? null : (name ?? null);
}
