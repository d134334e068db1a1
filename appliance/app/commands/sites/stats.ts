import { clocksDiffer } from "../../../base/day-zone.ts";
import { HttpError } from "../../../base/http/errors.ts";
import {
  type Desk,
  detailFrom,
  type Filter,
  MAX_RANGE_DAYS,
  type SiteRecord,
  SourceUnclear,
  type StatsQuery,
  sourceNamed,
} from "../../../store/desk.ts";
import type { StatsTotals } from "../../../store/reports.ts";
import { statsFilter } from "../../../traffic/collector/routes/question.ts";
import { CommandFailed, command, repeated, switches, UsageError, valued } from "../command.ts";
import { configFrom, DATA_OPTIONS, DATA_OPTIONS_HELP } from "../data.ts";
import { onSite } from "../others-data.ts";
import { tableOf } from "./stats-table.ts";

const DEFAULT_DAYS = 7;

export const stats = command({
  help: `tallydeck stats: the numbers of a site, by day, with its first pages, referrers and countries. A line
of bars shows the views of the days, the highest being the most.

  tallydeck stats SITE [--days N] [--json]
  tallydeck stats                          the same, where there is one site only

  --days N         how many days, today included, 1 to ${MAX_RANGE_DAYS} (${DEFAULT_DAYS})
  --where DIMENSION:TEST:VALUE
                   only views of which this holds, like path:begins:/blog or country:is:DE; TEST is is,
                   not, begins or has. May be given several times, as in GET /stats
  --of WHAT        what pages, referrers and countries count: views, visitors or sessions (views)
  --source SOURCE  only what came from there: a number or name as \`tallydeck sources\` lists them
  --json           all there is, as GET /stats?series=1 answers, but for "live"
${DATA_OPTIONS_HELP}

Days are those of DAY_ZONE, which is named where this machine's clock (TZ) shows another time. The data is read where
it is, whether the service runs or not, and so without a token: from another machine ask GET /stats.`,
  options: {
    ...DATA_OPTIONS,
    ...valued("days", "of", "source"),
    ...repeated("where"),
    ...switches("json"),
  },
  async run({ values, positionals }, terminal) {
    const [given, ...rest] = positionals;
    if (rest.length > 0) throw new UsageError("Name one site: `tallydeck stats SITE`.");
    const days = daysOf(values.days);
    const filter = filterOf(values);
    const config = configFrom(values, terminal);
    const about = { config, terminal };
    const words = ["stats", ...positionals];
    await onSite(words, { id: given }, about, async ({ desk, site, zone, today, now }) => {
      const name = zone.nameAt(now);
      const json = await numbersOf(desk, site, {
        ...filter,
        source: await sourceOf(desk, values.source),
        from: today - days + 1,
        to: today,
        zone: name,
        detailFrom: detailFrom({ ...config, today }),
      });
      if (values.json) terminal.out(json);
      else {
        const shown = {
          columns: terminal.columns,
          namesZone: clocksDiffer(name, terminal.timeZone(), now),
        };
        for (const line of tableOf(JSON.parse(json) as StatsTotals, shown)) terminal.out(line);
      }
    });
  },
});

function daysOf(given = `${DEFAULT_DAYS}`): number {
  const days = /^\d{1,4}$/.test(given) ? Number(given) : 0;
  if (days < 1 || days > MAX_RANGE_DAYS)
    throw new UsageError(`--days must be a number of days from 1 to ${MAX_RANGE_DAYS}.`);
  return days;
}

function filterOf({ where, of }: { where?: string[]; of?: string }): Filter {
  try {
    return statsFilter({ where, of });
  } catch (error) {
    if (error instanceof HttpError) throw new UsageError(error.message);
    throw error;
  }
}

/** @throws {CommandFailed} where the choice is not clear */
async function sourceOf(desk: Desk, text: string | undefined): Promise<StatsQuery["source"]> {
  if (text === undefined) return undefined;
  try {
    return sourceNamed(await desk.read("sources", undefined), text);
  } catch (error) {
    if (error instanceof SourceUnclear) throw new CommandFailed(error.message);
    throw error;
  }
}

/** The body of `/stats`. */
async function numbersOf(
  desk: Desk,
  { key, id }: SiteRecord,
  asked: Filter & Pick<StatsQuery, "from" | "to" | "zone" | "detailFrom" | "source">,
): Promise<string> {
  const query = {
    ...asked,
    site: key,
    id,
    single: false,
    series: true,
    daily: undefined,
    warnings: [],
  };
  const accepts = { encoding: null, ifNoneMatch: "" };
  const { body } = await desk.read("stats", { query, accepts });
  return Buffer.from(body ?? []).toString("utf8");
}
