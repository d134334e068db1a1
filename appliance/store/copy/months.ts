import { isDeepStrictEqual } from "node:util";
import type { Month } from "../blocks/month.ts";
import { PASS_GENERATION } from "../settling/statements.ts";
import type { BlockRow, Depth } from "../snapshot.ts";
import { mergedMonth, monthRows, newerDays, writeDays } from "./adding.ts";
import type { Source } from "./engine.ts";
import { agesOf, monthIn, monthsOf, type SiteMonth } from "./reading.ts";
import type { CopyOptions, Retries } from "./run.ts";
import type { Pair } from "./sites.ts";
import { numberOf, takeSource } from "./sources.ts";

/** Brings the days of a month of which the target has nothing, or an older state. @returns how many */
export async function bringMonth(
  options: CopyOptions,
  patience: Retries,
  { pair, source, month }: { readonly pair: Pair; readonly source: Source; readonly month: Month },
): Promise<number> {
  const { from, to } = options;
  const range = { from: month, to: month };
  const read = (depth: Depth) =>
    from.given(async ({ snapshot, rows }, { tailOf }) => ({
      ...(
        await monthsOf(snapshot, { site: pair.site, source: source.number }, range, depth, tailOf)
      )[0],
      ages: await agesOf(rows),
    }));
  const there = (depth: Depth) =>
    to.read(async (access) => {
      const number = await numberOf(access, source.origin);
      return number === undefined
        ? []
        : monthRows(access.snapshot, { site: pair.there.key, source: number }, month, depth);
    });
  const seen = await patience.with(() => read("counts"));
  const known = await patience.with(() => there("counts"));
  if (!isMonth(seen) || newerDays(seen, monthIn(month, known)).length === 0) return 0;
  const whole = await patience.with(() => read("detail"));
  if (!isMonth(whole)) return 0;
  for (let isNew = known.length === 0; ; isNew = false) {
    const before = isNew ? [] : await patience.with(() => there("detail"));
    const brought = await to.readable(async () => mergedMonth(month, whole, before));
    if (brought === undefined) return 0;
    const isDone = await patience.with(() =>
      to.transaction(async (access) => {
        await access.rows(PASS_GENERATION);
        const number = await takeSource(access, source);
        const which = { site: pair.there.key, source: number };
        // A part was settled meanwhile.
        const now = await monthRows(access.snapshot, which, month, "detail");
        if (!isDeepStrictEqual(now.map(bytesOf), before.map(bytesOf))) return false;
        await writeDays(access, { ...which, month }, brought, whole.ages);
        return true;
      }),
    );
    if (isDone) return brought.days.length;
  }
}

function isMonth<T extends object>(read: T & Partial<SiteMonth>): read is T & SiteMonth {
  return read.block !== undefined;
}

function bytesOf({ part, counters, counts, pieces }: BlockRow): unknown {
  return [part, [counters, counts, ...pieces.values()].map((bytes) => Buffer.from(bytes))];
}
