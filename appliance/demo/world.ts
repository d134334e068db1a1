/** The two made-up sites behind `--demo`, and how their visitors are spread. */

/** Values with how often they come, relative to each other. */
export type Weights = readonly (readonly [value: string, weight: number])[];

/** `Chrome 44, Samsung Internet 3` → weights */
function weighted(text: string): Weights {
  return text.split(",").map((entry) => {
    const words = entry.trim();
    const at = words.lastIndexOf(" ");
    return [words.slice(0, at), Number(words.slice(at + 1))];
  });
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
    direct 38, google.com 24, duckduckgo.com 8, fieldnotes.example 7, bing.com 4,
    news.ycombinator.com 3, mastodon.social 3, lobste.rs 2, kagi.com 2, perplexity.ai 1.5,
    reddit.com 1.5, en.wikipedia.org 1, feedbin.com 1`),
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
    direct 34, google.com 26, github.com 14, deckhand.example 9, youtube.com 6,
    producthunt.com 3, reddit.com 3, duckduckgo.com 3, alternativeto.net 2`),
};

export const SITES: readonly DemoSite[] = [FIELDNOTES, DECKHAND];

export const REF_GROUPS: Record<string, string> = {
  direct: "direct",
  "google.com": "search",
  "duckduckgo.com": "search",
  "bing.com": "search",
  "kagi.com": "search",
  "perplexity.ai": "search",
  "news.ycombinator.com": "social",
  "mastodon.social": "social",
  "lobste.rs": "social",
  "reddit.com": "social",
  "youtube.com": "social",
  "fieldnotes.example": "internal",
  "deckhand.example": "internal",
};

export const COUNTRIES = weighted(`
  DE 24, US 21, GB 11, FR 7, NL 6, SE 4, CA 4, IN 4, PL 3, AU 3, ES 3, JP 2, BR 2, CH 2,
  IT 2, NZ 1`);
export const LANGUAGES = weighted("en 52, de 24, fr 7, nl 4, es 4, sv 3, pl 2, pt 2, ja 2");
export const ZONES = weighted(`
  Europe/Berlin 26, America/New_York 14, Europe/London 12, America/Los_Angeles 8,
  Europe/Paris 7, Europe/Amsterdam 6, Asia/Calcutta 4, Europe/Stockholm 4, America/Toronto 3,
  Europe/Warsaw 3, Australia/Sydney 3, Asia/Tokyo 2, America/Sao_Paulo 2, unknown 1`);
export const BROWSERS = weighted(`
  Chrome 44, Safari 24, Firefox 19, Edge 8, Samsung Internet 3, Opera 1, Other 1`);
export const SYSTEMS = weighted(`
  Windows 30, macOS 24, iOS 17, Android 15, Linux 12, ChromeOS 1, Other 1`);
export const DEVICES = weighted("desktop 66, mobile 30, tablet 4");
export const VIEWPORTS = weighted(">1024 62, <640 30, 640-1024 8");
export const HOURS: readonly number[] = [
  12, 9, 7, 6, 6, 9, 18, 34, 52, 66, 70, 68, 62, 66, 70, 72, 70, 66, 62, 66, 62, 50, 34, 20,
];
export const INTERACTIONS = weighted(">2000 44, 150-2000 50, <150 4, unknown 2");
export const EVENTS = weighted("outbound 70, download 30");
export const TARGETS: Record<string, Weights> = {
  fieldnotes: weighted(`
    openstreetmap.org 30, github.com 26, en.wikipedia.org 20, solar-2025.csv 24`),
  deckhand: weighted(`
    github.com 40, deckhand-2.4.1.dmg 24, deckhand-2.4.1.AppImage 20, deckhand-2.4.1.exe 16`),
};
export const CAMPAIGNS = weighted(`
  newsletter|email|autumn-letter 70, mastodon|social|launch 30`);
export const CRAWLERS = weighted(`
  googlebot 30, bingbot 18, gptbot 16, ahrefsbot 12, claudebot 9, petalbot 6, yandexbot 5,
  curl 4`);
export const APP_SYSTEMS = weighted("macos 46, windows 38, linux 16");
export const APP_SYSTEM_VERSIONS = weighted(`
  macos-15 30, macos-14 16, windows-11 30, windows-10 8, linux-6.8 9, arch 5, unknown 2`);
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
