import { type Day, formatDay, parseDay } from "../../base/calendar.ts";
import { isObject, plainText } from "../../base/input/json.ts";
import { MATOMO_PAGES, MATOMO_REPORTS, MATOMO_TOTALS, MATOMO_VERSION, type Row } from "./matomo.ts";
import { ImportRefused } from "./refused.ts";

/** Days of one question: an answer of a month of a busy site has some megabytes. */
const DAYS_AT_ONCE = 28;
const PATIENCE_MS = 60_000;
const ROWS_OF_LINE = 1_000;

/** Where a Matomo answers, and of which site. */
interface MatomoPlace {
  /** The address of Matomo, with `idSite=N` in its query. */
  readonly url: string;
  readonly token: string;
  /** The first and the last day; the first is the one on which Matomo got the site, unless given. */
  readonly from: Day | undefined;
  readonly to: Day;
  readonly onShare: (share: number) => void;
  readonly signal: AbortSignal;
}

/** Whether an argument is the address of a Matomo, and not a file. */
export function isMatomo(text: string): boolean {
  return /^https?:\/\//.test(text);
}

/**
 * Asks a Matomo for its reports by day, and yields the lines that the import reads.
 * @throws {ImportRefused} with what Matomo says, or why it says nothing
 */
export async function* fetchMatomo(place: MatomoPlace): AsyncGenerator<string> {
  const { to, onShare } = place;
  const site = await ask(place, { method: "SitesManager.getSiteFromId" });
  const about: Row = [site].flat().find(isObject) ?? {};
  const first =
    place.from ?? parseDay(plainText(about.ts_created).slice(0, 10)) ?? to - DAYS_AT_ONCE;
  yield line({ matomo: MATOMO_VERSION, zone: about.timezone ?? null });
  const methods = [MATOMO_TOTALS, ...Object.keys(MATOMO_REPORTS)];
  const span = Math.max(1, to - first + 1);
  for (let from = first; from <= to; from += DAYS_AT_ONCE) {
    const last = Math.min(to, from + DAYS_AT_ONCE - 1);
    for (const [n, report] of methods.entries()) {
      const days = await ask(place, {
        method: report,
        period: "day",
        date: `${formatDay(from)},${formatDay(last)}`,
        filter_limit: "-1",
        // Pages are a tree by their folders; of others, what is below a name is not counted.
        flat: report === MATOMO_PAGES ? "1" : "0",
        language: "en",
      });
      for (const [day, rows] of Object.entries(isObject(days) ? days : {}))
        if (parseDay(day) !== undefined)
          for (const some of inPieces(rows)) yield line({ report, day, rows: some });
      onShare((from - first + ((n + 1) / methods.length) * (last - from + 1)) / span);
    }
  }
}

/** The rows of a day in pieces: one line of a hundred thousand would be longer than a line may be. */
function* inPieces(rows: unknown): Generator<unknown> {
  if (!Array.isArray(rows) || rows.length <= ROWS_OF_LINE) return yield rows;
  for (let at = 0; at < rows.length; at += ROWS_OF_LINE) yield rows.slice(at, at + ROWS_OF_LINE);
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

async function ask(
  { url, token, signal }: MatomoPlace,
  parameters: Readonly<Record<string, string>>,
): Promise<unknown> {
  const address = new URL(url);
  const idSite = address.searchParams.get("idSite") ?? "1";
  address.search = "";
  if (!address.pathname.endsWith(".php"))
    address.pathname = `${address.pathname.replace(/\/$/, "")}/index.php`;
  // The token goes in the body: addresses stand in logs.
  const body = new URLSearchParams({
    module: "API",
    format: "json",
    idSite,
    token_auth: token,
    ...parameters,
  });
  const answer = await fetch(address, {
    method: "POST",
    body,
    redirect: "error",
    signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
  }).catch((error: Error) => {
    signal.throwIfAborted();
    throw new ImportRefused(`Matomo at ${address.host} does not answer: ${reasonOf(error)}.`, {
      cause: error,
    });
  });
  const value: unknown = await answer.json().catch(() => undefined);
  const said = isObject(value) && value.result === "error" ? plainText(value.message) : undefined;
  if (said !== undefined)
    throw new ImportRefused(`Matomo at ${address.host} says: ${said.slice(0, 200)}`);
  if (!answer.ok || value === undefined)
    throw new ImportRefused(
      `${address.host} does not answer as Matomo does (${answer.status}). Give the address of Matomo's own page, with ?idSite=N.`,
    );
  return value;
}

function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error ? cause.message : message;
}
