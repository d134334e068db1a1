import type { Dimension } from "../../store/log/record.ts";

/** The two made-up sites behind `--demo`, and how their visitors are spread. */

/** Values with their relative frequencies. */
export type Weights<T = string> = readonly (readonly [what: T, weight: number])[];

export type HitValues = readonly (readonly [Dimension, string])[];

/** `Chrome 44, Samsung Internet 3` → weights */
function weighted(text: string): Weights {
  return text.split(",").map((entry) => {
    const words = entry.trim();
    const at = words.lastIndexOf(" ");
    return [words.slice(0, at), Number(words.slice(at + 1))];
  });
}

/** The same for values of several dimensions that belong together: `DE|de 24`. */
function together(dimensions: readonly Dimension[], text: string): Weights<HitValues> {
  return weighted(text).map(([parts, weight]) => [
    parts.split("|").map((value, i) => [dimensions[i] as Dimension, value]),
    weight,
  ]);
}

export interface DemoSite {
  id: string;
  /** pageviews on an ordinary day at the end of the 400 days */
  views: number;
  /** growth over the 400 days: 2 doubles */
  growth: number;
  /** share of an ordinary day that a Saturday or Sunday sees */
  weekend: number;
  /** days before the last one on which the site was talked about, and how loudly */
  spikes: readonly (readonly [daysAgo: number, times: number, ref: string, path: string])[];
  viewsPerVisit: number;
  /** app pings on an ordinary day; 0 for a site without an app */
  pings: number;
  host: string;
  paths: Weights;
  referrers: Weights;
  /** of events */
  targets: Weights;
}

const FIELDNOTES: DemoSite = {
  id: "fieldnotes",
  views: 820,
  growth: 2.6,
  weekend: 0.62,
  spikes: [
    [23, 6.5, "news.ycombinator.com", "/notes/a-year-of-solar-at-52-north"],
    [171, 3.2, "lobste.rs", "/notes/repairing-a-1974-turntable"],
    [318, 2.4, "reddit.com", "/notes/bees-in-a-city-yard"],
  ],
  viewsPerVisit: 1.7,
  pings: 0,
  host: "https://fieldnotes.example",
  paths: weighted(`
    / 30, /notes 14, /notes/a-year-of-solar-at-52-north 12,
    /notes/repairing-a-1974-turntable 9, /about 6, /notes/bees-in-a-city-yard 6,
    /notes/sourdough-by-the-numbers 5, /notes/mapping-the-allotment 4, /notes/rain-gauge 3,
    /feed 3, /notes/winter-ride-to-the-coast 2.5, /now 2,
    /notes/a-better-compost-thermometer 2, /colophon 1, /notes/what-the-hedge-knows 0.5`),
  referrers: weighted(`
    direct 38, google.com 24, duckduckgo.com 8, bing.com 4,
    news.ycombinator.com 3, mastodon.social 3, lobste.rs 2, kagi.com 2, perplexity.ai 1.5,
    reddit.com 1.5, en.wikipedia.org 1, feedbin.com 1`),
  targets: weighted(`
    openstreetmap.org 30, github.com 26, en.wikipedia.org 20, solar-2025.csv 24`),
};

const DECKHAND: DemoSite = {
  id: "deckhand",
  views: 310,
  growth: 1.5,
  weekend: 0.84,
  spikes: [[96, 5, "producthunt.com", "/"]],
  viewsPerVisit: 2.4,
  pings: 240,
  host: "https://deckhand.example",
  paths: weighted(`
    / 34, /download 22, /docs 12, /docs/keys 7, /docs/first-steps 7, /changelog 6,
    /pricing 4, /docs/command-line 4, /press 1`),
  referrers: weighted(`
    direct 34, google.com 26, github.com 14, youtube.com 6,
    producthunt.com 3, reddit.com 3, duckduckgo.com 3, alternativeto.net 2`),
  targets: weighted(`
    github.com 40, deckhand-2.4.1.dmg 24, deckhand-2.4.1.AppImage 20, deckhand-2.4.1.exe 16`),
};

export const SITES: readonly DemoSite[] = [FIELDNOTES, DECKHAND];

export const REF_GROUPS: Record<string, string> = {
  direct: "direct",
  "google.com": "search",
  "duckduckgo.com": "search",
  "bing.com": "search",
  "kagi.com": "search",
  "perplexity.ai": "assistant",
  "news.ycombinator.com": "social",
  "mastodon.social": "social",
  "lobste.rs": "social",
  "reddit.com": "social",
  "youtube.com": "social",
};

export const PLACES = together(
  ["country", "lang", "tz"],
  `
  DE|de|Europe/Berlin 24, DE|en|Europe/Berlin 6, US|en|America/New_York 13,
  US|en|America/Los_Angeles 8, GB|en|Europe/London 11, FR|fr|Europe/Paris 7,
  NL|nl|Europe/Amsterdam 4, NL|en|Europe/Amsterdam 2, SE|sv|Europe/Stockholm 3,
  SE|en|Europe/Stockholm 1, CA|en|America/Toronto 4, IN|en|Asia/Calcutta 4, PL|pl|Europe/Warsaw 2,
  PL|en|Europe/Warsaw 1, AU|en|Australia/Sydney 3, ES|es|Europe/Madrid 3, JP|ja|Asia/Tokyo 2,
  BR|pt|America/Sao_Paulo 2, CH|de|Europe/Zurich 2, IT|it|Europe/Rome 2, NZ|en|Pacific/Auckland 1`,
);
/** `Chrome 154` is a browser and its version; a name without a number tells no version. */
export const BROWSERS: Weights<HitValues> = together(
  ["browser", "os", "device", "viewport"],
  `
  Chrome 154|Windows 10|desktop|>1024 14, Chrome 153|Windows 10|desktop|>1024 5,
  Firefox 156|Windows 10|desktop|>1024 5, Edge 154|Windows 10|desktop|>1024 6,
  Chrome 154|macOS 10|desktop|>1024 9, Safari 26|macOS 10|desktop|>1024 7,
  Safari 18|macOS 10|desktop|>1024 3, Firefox 156|macOS 10|desktop|>1024 4,
  Firefox 156|Linux|desktop|>1024 5, Firefox 140|Linux|desktop|>1024 2, Chrome 154|Linux|desktop|>1024 4,
  Chrome 109|Windows 7|desktop|640-1024 3, Safari 26|iOS 18|mobile|<640 11,
  Safari 18|iOS 18|mobile|<640 3, Chrome 154|iOS 18|mobile|<640 2, Safari 26|iOS 18|tablet|640-1024 3,
  Chrome 154|Android 10|mobile|<640 9, Firefox 156|Android 16|mobile|<640 2,
  Samsung Internet 29|Android 10|mobile|<640 3, Chrome 153|Android 10|tablet|640-1024 1,
  Chrome 154|ChromeOS 14541|desktop|>1024 1, Opera 136|Windows 10|desktop|>1024 1,
  Other|Other|desktop|640-1024 1`,
).map(([values, weight]) => [values.flatMap(withVersion), weight]);

function withVersion([dimension, value]: HitValues[number]): HitValues {
  const name = value.replace(/ \d+$/, "");
  return name === value
    ? [[dimension, value]]
    : [
        [dimension, name],
        [dimension === "os" ? "os_version" : "browser_version", value],
      ];
}
export const HOURS: readonly number[] = [
  12, 9, 7, 6, 6, 9, 18, 34, 52, 66, 70, 68, 62, 66, 70, 72, 70, 66, 62, 66, 62, 50, 34, 20,
];
export const INTERACTIONS = weighted(">2000 44, 150-2000 50, <150 4, unknown 2");
export const LAST_HERE = weighted("new 62, 1 12, 2-7 14, 8-30 8, >30 4");
export const READ_TIMES = weighted("<10 27, 10-30 21, 30-60 19, 60-180 20, 180-600 10, >600 3");
export const READ_DEPTHS = weighted("<25 14, 25 21, 50 22, 75 16, 100 27");
export const PLANS = weighted("year 35, month 65");
/** The price of a plan, in thousandths. */
export const PRICES: Readonly<Record<string, string>> = { month: "4000", year: "40000" };
export const EVENTS = weighted("outbound 70, download 30");
export const CAMPAIGNS = together(
  ["utm_source", "utm_medium", "utm_campaign"],
  "newsletter|email|autumn-letter 70, mastodon|social|launch 30",
);
export const CRAWLERS = weighted(`
  googlebot 30, bingbot 18, gptbot 16, ahrefsbot 12, claudebot 9, petalbot 6, yandexbot 5,
  curl 4`);
export const APP_SYSTEMS = together(
  ["app_os", "app_os_version"],
  `
  macos|macos-15 29, macos|macos-14 16, macos|unknown 1, windows|windows-11 29, windows|windows-10 8,
  windows|unknown 1, linux|linux-6.8 10, linux|arch 6`,
);
export const APP_OFFSETS = weighted(`
  UTC+01:00 30, UTC-05:00 18, UTC+00:00 14, UTC-08:00 12, UTC+05:30 8, UTC+02:00 8,
  UTC+09:00 5, UTC-03:00 3, UTC+10:00 2`);
export const APP_DEVICES = weighted("mk2 40, mini 22, xl 15, plus 13, neo 7, mirabox-293 3");
export const APP_RELEASES: readonly (readonly [daysAgo: number, version: string])[] = [
  [400, "2.1.0"],
  [300, "2.2.0"],
  [190, "2.3.0"],
  [96, "2.4.0"],
  [40, "2.4.1"],
];

export const FOUND_BY = weighted("search 40, friend 22, video 20, store 18");
export const MISSING_MOST = weighted("pages 34, icons 28, plugins 24, nothing 14");
export const USED_FOR = ["streaming", "coding", "meetings", "home"];
export const COMMENTS = [
  "Quietly does what it says. I forgot it was there, which is the best thing I can say.",
  "Would love a second page of keys.",
  "Der Einstieg war leicht, die Doku ist gut.",
  "Lost its settings once after an update, fine since.",
  "Please keep it free of accounts.",
  "The command line tool is what sold me.",
];
