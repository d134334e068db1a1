import { createHash } from "node:crypto";
import type { Day } from "../../base/calendar.ts";
import type { Block } from "../blocks/block.ts";
import { encodeBlock } from "../blocks/codec.ts";
import { monthOf } from "../blocks/month.ts";
import type { BroughtDay } from "./change.ts";
import { difference, sumOf } from "./difference.ts";
import type { CopyOptions } from "./options.ts";
import type { Patience } from "./patience.ts";
import type { Progress } from "./progress.ts";
import type { Outline } from "./reading.ts";
import type { Pair } from "./sites.ts";
import type { Taken } from "./taken.ts";

/** A transaction writes about so much, so that hits in between hardly notice; a day at least. */
const BYTES_AT_ONCE = 512 * 1_024;

/** A day that is to be brought. */
interface Due {
  readonly day: Day;
  readonly ageMs: number;
  readonly slice: Block;
  /** What the target gave to the source. */
  readonly given: Block | undefined;
  readonly hash: Uint8Array;
}

/**
 * Brings the days of a site that are not as an earlier run has left them.
 * @returns on how many there was anything new
 */
export async function bringDays(
  options: CopyOptions,
  patience: Patience,
  pair: Pair,
  { days }: Outline,
  progress?: Progress,
): Promise<number> {
  const { from, to } = options;
  const given = await patience.with(async () =>
    pair.origin === undefined ? undefined : from.taken(to.id, pair.origin),
  );
  let brought = 0;
  let done = 0;
  for (const some of Map.groupBy(days, ({ day }) => monthOf(day)).values()) {
    progress?.at(pair.id, some[0]?.day, done);
    let due = await patience.with(() => dueOf(options, pair, some, given));
    while (due.length > 0) {
      const next = await patience.with(() => bring(options, pair, due));
      brought += next.brought;
      due = due.slice(next.days);
    }
    done += some.length;
  }
  progress?.at(pair.id, days.at(-1)?.day, done);
  progress?.done(days.length);
  return brought;
}

async function dueOf(
  { from, to }: CopyOptions,
  { site, id }: Pair,
  days: Outline["days"],
  given: Taken | undefined,
): Promise<Due[]> {
  const known = (await to.taken(from.id, id)).days;
  const ages = new Map(days.map(({ day, ageMs }) => [day, ageMs]));
  const read = await from.days(site, [...ages.keys()], (day, hash) =>
    isSame(known.get(day), stateOf(hash, given?.days.get(day))),
  );
  const due = read.flatMap(({ day, hash, slice }) =>
    slice
      ? [{ day, slice, ageMs: ages.get(day) ?? 0, hash: stateOf(hash, given?.days.get(day)) }]
      : [],
  );
  const gifts = await given?.slices(due.map(({ day }) => day));
  return due.map((each) => ({ ...each, given: gifts?.get(each.day) }));
}

/** Brings as many of the first days as a transaction should. */
async function bring(
  { from, to }: CopyOptions,
  { id, there }: Pair,
  due: readonly Due[],
): Promise<{ readonly brought: number; readonly days: number }> {
  for (;;) {
    const before = await to.taken(from.id, id);
    const had = await before.slices(due.map(({ day }) => day));
    const days: BroughtDay[] = [];
    let bytes = 0;
    for (const each of due) {
      if (bytes > BYTES_AT_ONCE) break;
      const next = broughtDay(each, had.get(each.day));
      days.push(next);
      for (const pieces of [next.added, next.taken])
        for (const piece of Object.values(pieces ?? {})) bytes += piece.length;
    }
    const isDone = await to.transaction(async (change) => {
      const now = (await change.taken(from.id, id)).days;
      // Another run has brought some of them meanwhile.
      if (!days.every(({ day }) => isSame(now.get(day), before.days.get(day)))) return false;
      await change.addDays(from.id, id, there.key, days);
      return true;
    });
    if (isDone) return { brought: days.filter(({ added }) => added).length, days: days.length };
  }
}

function broughtDay({ day, ageMs, slice, given, hash }: Due, had: Block | undefined): BroughtDay {
  const month = monthOf(day);
  const before = had === undefined ? [] : [had];
  const missing = difference(slice, sumOf(month, given ? [...before, given] : before), day);
  const taken = sumOf(month, missing ? [...before, missing] : before);
  return { day, ageMs, hash, added: missing && encodeBlock(missing), taken: encodeBlock(taken) };
}

/** Of what the source says and what it has from the target. */
function stateOf(hash: Uint8Array, given: Uint8Array | undefined): Uint8Array {
  return given === undefined ? hash : createHash("sha256").update(hash).update(given).digest();
}

function isSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return Buffer.compare(one, other) === 0;
}
