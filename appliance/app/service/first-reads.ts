import { messageOf } from "../../base/message-of.ts";
import { COUNTED_OF } from "../../base/text/dimensions.ts";
import { RULES } from "../../control/routes/decks/decks.ts";
import { DECKS, decksIn } from "../../deck/settings/deck-settings.ts";
import { DatabaseRefused, FILE } from "../../store/desk.ts";
import type { SurveyVersions } from "../../store/reports.ts";
import { documentsOf, type LocalData, type Numbers } from "../../store/store.ts";
import { DOCUMENT_KINDS } from "./document-kinds.ts";

/**
 * Reads all data that a start needs, so that unreadable data is found before anything runs. A restore does the same with
 * its data, in a process of its own.
 * @throws {DatabaseRefused} where it cannot be read
 */
export async function firstReads(local: Pick<LocalData, "read">, file: string): Promise<void> {
  try {
    decksIn(await documentsOf(local, DECKS), RULES);
    // Other kinds belong to the fleet, if there is one; those of sites are read on demand.
    for (const kind of DOCUMENT_KINDS) if (kind.of === undefined) await documentsOf(local, kind);
  } catch (error) {
    const reason = messageOf(error);
    throw new DatabaseRefused({
      file,
      flaw: "unreadable",
      needsBackup: true,
      says: `${FILE} cannot be read as a start has to (${reason}).`,
    });
  }
}

/** The number of sites, the largest ones, for which the dashboard's questions are tried. */
const ASKED_SITES = 16;
const WEEK = 7;
const HOURS = 24;
const ACCEPTS = { encoding: null, ifNoneMatch: "" } as const;
/** A condition that everything matches, so that all detail is read. */
const WHATEVER = { dimension: "path", test: "not", value: "" } as const;

const ANY_GOALS = (["event", "page"] as const).map((kind) => ({ name: kind, kind, value: "*" }));

/** A query of all days, each by itself. */
const WIDEST = {
  from: "first",
  single: false,
  series: true,
  daily: "text",
  entry: true,
  detailFrom: 0,
  warnings: [],
} as const;

interface DashboardDoors {
  readonly local: Pick<LocalData, "read">;
  readonly numbers: Pick<Numbers, "clock" | "read" | "zone">;
}

/**
 * Asks each question of dashboards, share links, decks, badges and alarms, for the largest sites, with the largest
 * range.
 * @throws {Refusal} the first refusal of a question
 */
export async function dashboardReads({ local, numbers }: DashboardDoors): Promise<void> {
  const now = numbers.clock.now();
  const [today, zone] = [numbers.zone.today(now), numbers.zone.nameAt(now)];
  const hour = numbers.zone.hourAt(now) % HOURS;
  const sites = await local.read("largestSites", { limit: ASKED_SITES });
  const asked = { today, hour, zone, warnings: [] };
  const lively = sites.map((site) => ({ ...site, live: 0 }));
  await numbers.read("overview", { query: { ...asked, sites: lively }, accepts: ACCEPTS });
  await numbers.read("siteActivity", { sites, today });
  for (const { key: site, id } of sites) {
    for (const counted of COUNTED_OF)
      for (const where of [[], [WHATEVER]]) {
        const query = { ...WIDEST, site, id, to: today, of: counted, where, zone };
        await numbers.read("stats", { query, accepts: ACCEPTS });
      }
    const goals = { site, id, from: today - WEEK, to: today, zone, detailFrom: 0, where: [] };
    await numbers.read("goals", { query: { ...goals, goals: ANY_GOALS }, accepts: ACCEPTS });
    await numbers.read("viewCounts", { site, from: today - WEEK, to: today });
    await numbers.read("hourlyViews", { site, from: today - WEEK, to: today });
    await numbers.read("liveNumbers", { site, counter: "pv", days: 30, today, hour });
    await surveyReads(numbers, { site, id });
  }
}

async function surveyReads(
  numbers: Pick<Numbers, "read">,
  { site, id }: { site: number; id: string },
): Promise<void> {
  const found = await numbers.read("surveyVersions", { query: { site, id }, accepts: ACCEPTS });
  const { versions } = JSON.parse(Buffer.from(found.body ?? "{}").toString()) as SurveyVersions;
  for (const { sv } of versions) {
    const filter = { site, version: sv, from: null, to: null };
    await numbers.read("surveySummary", { query: { id, filter, cross: "os" }, accepts: ACCEPTS });
    const page = { id, filter, after: null, secret: new Uint8Array(32) };
    await numbers.read("surveyPage", { query: page, accepts: ACCEPTS });
  }
}
