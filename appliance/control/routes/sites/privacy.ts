import { DayZone, UTC_DAYS } from "../../../base/day-zone.ts";
import type { StatsTotals, SurveyVersions } from "../../../store/reports.ts";
import type { Numbers } from "../../../store/store.ts";
import { placesOf } from "../../../traffic/places/places.ts";
import type { Handler } from "../../route.ts";
import type { PrivacyAnswer } from "../../wire.ts";

/** With more sites, every kind of data counts as collected. */
const MAX_SITES = 50;
const WHOLE = { encoding: null, ifNoneMatch: "" } as const;

/** The settings that the text depends on. */
interface PrivacySettings {
  readonly databaseUrl: string | undefined;
  readonly detailDays: number;
  readonly retentionDays: number;
  readonly trustedProxies: readonly string[];
}

interface PrivacySource {
  readonly directory: Numbers["directory"];
  readonly read: Numbers["read"];
  readonly config: PrivacySettings;
  readonly hasPublicAddress: boolean;
  /** Whether the box has a tunnel of its owner's now. */
  readonly isTunnelled: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Kinds of counts that not every owner has. */
interface Counted {
  surveys: boolean;
  pings: boolean;
}

/** `GET /api/privacy`: a text for the owner's own privacy page. */
export const showPrivacy: Handler<() => PrivacySource> = async (
  ctx,
  source,
): Promise<PrivacyAnswer> => {
  ctx.set("Cache-Control", "no-store");
  return { text: await privacyText(source()) };
};

/** A text for an owner's privacy page, by the settings and the counts up to now. */
export async function privacyText(source: PrivacySource): Promise<string> {
  const { directory, config, hasPublicAddress, now } = source;
  const zone = new DayZone(directory.dayZone ?? UTC_DAYS).nameAt(now);
  const { surveys, pings } = await countedSorts(source);
  const isPassedOn = source.isTunnelled || config.trustedProxies.length > 0;
  const places = await hostsOfPlaces(source);
  return [
    about(config, { hasPublicAddress, isPassedOn, places }),
    view(hasPublicAddress || (places.length > 0 && !isPassedOn)),
    kept(config),
    "The script also counts clicks on links to other sites, downloads, which form was sent, pages that were not found, EVENTS OF YOUR OWN, and how soon after loading somebody first moved the pointer, clicked, scrolled or typed on a page. It does not see what you type. It also sends the list of all languages that your browser is set to and, so that no cache answers in that computer's place, a new random number each time. Neither is stored.",
    "Your internet address is needed to send you an answer, as with every website. It is held in memory for a short time against misuse, and is neither stored nor written to a log.",
    "No cookie is set. One entry is kept in your browser's own storage for this site, named \"tallydeck\": when you last opened a page here, how many pages you opened in that visit, the website or campaign that it began with, and up to 64 check numbers of the pages that you opened on that day. The check numbers stay in your browser: they are not sent, and the first page that you open on another day clears them. The entry contains no number or name that could recognise you. It serves to count visitors and visits, and stays until it is deleted: you can do so at any time in your browser's settings.",
    'You are not counted if your browser sends "Do Not Track" or "Global Privacy Control". You can also switch counting off in your browser yourself: open any page of this site with #tallydeck-ignore at the end of its address. The entry is then the word "off" and nothing else, and stays until it is deleted. Doing the same again switches counting on.',
    `The daily totals are kept for about ${config.retentionDays} days. A day begins at midnight ${zone === "UTC" ? "in UTC" : `in the time zone ${zone}`}.`,
    ...(pings
      ? [
          `The app. Once a day, the app sends its version, the name and version of your system, the time zone's distance from UTC, YOUR COUNTRY, and the models of connected devices. These are only added to daily totals.`,
        ]
      : []),
    ...(surveys
      ? [
          "The survey. If you answer the survey in the app, your answers are stored with the day, the app's version, the system, the models of connected devices and your comment, if you wrote one. They are not linked to you. They are kept until OPERATOR deletes them.",
        ]
      : []),
  ].join("\n\n");
}

/** The ways of a visitor's request. */
interface Ways {
  readonly hasPublicAddress: boolean;
  readonly isPassedOn: boolean;
  /** The hosts of places. */
  readonly places: readonly string[];
}

function about(
  { databaseUrl }: PrivacySettings,
  { hasPublicAddress, isPassedOn, places }: Ways,
): string {
  return [
    "Counting visits. This site counts its visits with Tallydeck, on a small computer that belongs to OPERATOR and stands in PLACE.",
    ...(databaseUrl === undefined
      ? []
      : [
          "What is counted is kept in a database on computers of DATABASE COMPANY in PLACE, which get no internet address.",
        ]),
    ...(places.length > 0 ? [first(places)] : []),
    ...(places.length > 0 && (hasPublicAddress || !isPassedOn)
      ? []
      : [passedOn(hasPublicAddress, isPassedOn)]),
  ].join(" ");
}

/** A sentence about the places to which visitors' requests go first. */
function first(places: readonly string[]): string {
  const [one, ...others] = places;
  return others.length === 0
    ? `What your browser sends goes first to a computer that OPERATOR rents from HOSTING COMPANY in PLACE OF THAT COMPUTER (${one}). It counts as this text says, and passes what it has counted on to the small computer, encrypted and without your internet address. It keeps it itself for DAYS THERE, too.`
    : `What your browser sends goes first to one of the computers that OPERATOR rents from HOSTING COMPANIES in PLACES OF THOSE COMPUTERS (${places.join(", ")}). They count as this text says, and pass what they have counted on to the small computer, encrypted and without your internet address. They keep it themselves for DAYS THERE, too.`;
}

async function hostsOfPlaces({ directory, read }: PrivacySource): Promise<string[]> {
  // Where no site is, there may be no data either.
  if (directory.sites.length + directory.retired.length === 0) return [];
  return (await placesOf({ read })).map(({ place }) => new URL(place.address).host);
}

function passedOn(hasPublicAddress: boolean, isPassedOn: boolean): string {
  if (hasPublicAddress)
    return "No other company sees what your browser sends: the encryption ends on that computer.";
  return isPassedOn
    ? "What your browser sends reaches it through TUNNEL COMPANY, which sees your internet address."
    : "IF ANOTHER COMPANY PASSES IT ON: What your browser sends reaches it through COMPANY, which sees your internet address.";
}

function view(hasPublicAddress: boolean): string {
  const otherCountry = hasPublicAddress
    ? ""
    : " IF THAT COMPANY NAMES THE COUNTRY: It adds the country that your internet address belongs to, which is counted instead.";
  return `When you open a page, a small script in it tells that computer: the page's address without what follows a question mark, the website that linked here (its name only), your browser's language and time zone, whether the window is small, medium or large, the campaign named in the link, if any, the website or campaign that your visit began with, whether you open the site, or this page, for the first time today, about how many days ago you opened the site before (never, one, up to 7, up to 30, or more), whether the page begins your visit or is its second, and whether the visit before had one page only. When you leave or hide the page after a second or more, it says once for how long the page was in sight (in six steps, from less than ten seconds to more than ten minutes) and how far down you saw it (in quarters), with the same facts as before. From the time zone, the computer works out the country; it does not look up your internet address.${otherCountry} From the header that every browser sends, the computer reads which kind of browser, system and device it is, and the first number of the browser's and the system's version.`;
}

function kept({ detailDays, retentionDays }: PrivacySettings): string {
  const totals =
    'It adds each of these to a daily total: "12 views of /about", "9 views with Firefox".';
  const most = Math.min(detailDays, retentionDays);
  return most === 0
    ? `${totals} For at most an hour, until they are added up, it keeps them as they came, with the hour and without your internet address. After that it does not keep which of them belong together, and no record of a single visit.`
    : `${totals} For about ${most} ${most === 1 ? "day" : "days"} it also keeps which of them belong together in one view or event, with the hour: "one view of /about with Firefox at 14 o'clock". Such a record has no number and no name, no internet address and no time finer than the hour, and is linked neither to you nor to another record.`;
}

/** The query for all values of all days. */
const WHOLE_TOTALS = {
  of: "views",
  where: [],
  detailFrom: Number.POSITIVE_INFINITY,
  single: false,
  series: false,
  daily: undefined,
  warnings: [],
} as const;

async function countedSorts({ directory, read, now }: PrivacySource): Promise<Counted> {
  const counted = { surveys: false, pings: false };
  const sites = [...directory.sites, ...directory.retired];
  if (sites.length > MAX_SITES) return { surveys: true, pings: true };
  const zone = new DayZone(directory.dayZone ?? UTC_DAYS);
  const to = zone.today(now);
  for (const { key: site, id } of sites) {
    const query = { site, id, from: "first", to, zone: zone.nameAt(now) } as const;
    const { body } = await read("stats", {
      query: { ...query, ...WHOLE_TOTALS },
      accepts: WHOLE,
    });
    const { app } = JSON.parse(textOf(body)) as StatsTotals;
    const { body: ofSurveys } = await read("surveyVersions", {
      query: { site, id },
      accepts: WHOLE,
    });
    const { versions } = JSON.parse(textOf(ofSurveys)) as SurveyVersions;
    counted.pings ||= app !== undefined;
    counted.surveys ||= versions.length > 0;
  }
  return counted;
}

function textOf(body: Uint8Array | null): string {
  return Buffer.from(body ?? []).toString();
}
