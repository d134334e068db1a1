import type { Day } from "../../base/calendar.ts";
import { PASS_GENERATION } from "../settling/statements.ts";
import type { Transaction } from "../sql.ts";
import type { Source, Sums } from "./engine.ts";
import { counterDays, pastOf, type Which } from "./reading.ts";
import type { CopyOptions, Retries } from "./run.ts";
import type { Pair } from "./sites.ts";
import { numberOf, takeSource } from "./sources.ts";

/** A number that no source has. */
const NOWHERE = 2 ** 31 - 1;

/** Counters of days past retention, and of those that are kept. */
interface Totals {
  readonly past: Sums;
  readonly days: ReadonlyMap<Day, Sums>;
}

/**
 * Copies the counts of an origin past retention, which are counters without days. Either side may still have days
 * that the other has dropped. Without those, the past of each side is about days that neither has; the side with
 * the higher sums has all of them.
 */
export async function bringPast(
  { from, to }: Pick<CopyOptions, "from" | "to">,
  patience: Retries,
  { pair, source }: { readonly pair: Pair; readonly source: Source },
): Promise<void> {
  const there = async (access: Transaction) => ({
    site: pair.there.key,
    source: (await numberOf(access, source.origin)) ?? NOWHERE,
  });
  const itsOwn = { site: pair.site, source: source.number };
  const pasts = [
    await patience.with(() => from.givenPast(itsOwn)),
    await patience.with(() => to.read(async (access) => pastOf(access.rows, await there(access)))),
  ];
  if (pasts.every(({ size }) => size === 0)) return;
  const here = await patience.with(() => from.read((access) => totalsOf(access, itsOwn)));
  const missing = async (access: Transaction) =>
    changed(here, await totalsOf(access, await there(access)));
  if ((await patience.with(() => to.read(missing))).length === 0) return;
  await patience.with(() =>
    to.transaction(async (access) => {
      await access.rows(PASS_GENERATION);
      const number = await takeSource(access, source);
      await access.all(
        (await missing(access)).map(([counter, n]) => ({
          text: `INSERT INTO past (site, source, counter, n) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (site, source, counter) DO UPDATE SET n = excluded.n`,
          values: [pair.there.key, number, counter, n],
        })),
      );
    }),
  );
}

async function totalsOf({ rows, snapshot }: Transaction, which: Which): Promise<Totals> {
  return { past: await pastOf(rows, which), days: await counterDays(snapshot, which) };
}

/** Counters of the target's past that are to be others. */
function changed(source: Totals, target: Totals): (readonly [string, number])[] {
  const [ofSource, ofTarget] = [rest(source, target.days), rest(target, source.days)];
  return [...new Set([...source.past.keys(), ...target.past.keys()])].flatMap((counter) => {
    const n = Math.max(0, ofSource(counter), ofTarget(counter));
    return n === (target.past.get(counter) ?? 0) ? [] : [[counter, n] as const];
  });
}

/** The counts that a past has of days that neither side keeps, by counter. */
function rest({ past, days }: Totals, others: Totals["days"]): (counter: string) => number {
  const gone = [...others].flatMap(([day, sums]) => (days.has(day) ? [] : [sums]));
  return (counter) =>
    gone.reduce((n, sums) => n - (sums.get(counter) ?? 0), past.get(counter) ?? 0);
}
