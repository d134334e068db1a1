import { createHash } from "node:crypto";
import type { Day } from "../../base/calendar.ts";
import { type DayCounts, difference, merged, portion, sizeOf } from "./difference.ts";
import type { CopyOptions } from "./options.ts";
import type { Patience } from "./patience.ts";
import type { Progress } from "./progress.ts";
import type { Pair } from "./sites.ts";
import type { Outline } from "./source.ts";
import type { Taken } from "./taken.ts";
import type { AddedDay } from "./target.ts";

/** What is read at once: a day of a large site has some ten thousand values. */
const DAYS_AT_ONCE = 20;
/** A transaction stays at some ten milliseconds, so that hits in between hardly notice. */
const VALUES_AT_ONCE = 2_000;
/** A day costs about as much as so many values, however few it has. */
const VALUES_OF_A_DAY = 40;

const NOTHING: DayCounts = new Map();

/** A day that is to be brought. */
interface Due {
  readonly day: Day;
  readonly ageMs: number;
  readonly counts: DayCounts;
  /** What the target gave to the source. */
  readonly given: DayCounts;
  readonly hash: Uint8Array | null;
}

/** What tells the state of each day that was brought. */
type Hashes = ReadonlyMap<Day, Uint8Array | null>;

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
  const known = await patience.with(() => to.takenHashes(from.id, pair.id));
  const given = await patience.with(() => hashesGiven(options, pair));
  const brought = new Set<Day>();
  for (let i = 0; i < days.length; i += DAYS_AT_ONCE) {
    const some = days.slice(i, i + DAYS_AT_ONCE);
    let due = await patience.with(() => dueOf(options, pair, some, { known, given }));
    while (due.length > 0) {
      progress?.at(pair.id, due[0]?.day, i + some.length - due.length);
      const { added, left } = await patience.with(() => bring(options, pair, due));
      for (const { day } of added) brought.add(day);
      due = left;
    }
    progress?.at(pair.id, some.at(-1)?.day, i + some.length);
  }
  progress?.done(days.length);
  return brought.size;
}

async function hashesGiven({ from, to }: CopyOptions, { origin }: Pair): Promise<Hashes> {
  return origin === undefined ? new Map() : from.takenHashes(to.id, origin);
}

async function dueOf(
  { from, to }: CopyOptions,
  { site, origin }: Pair,
  days: Outline["days"],
  { known, given }: { known: Hashes; given: Hashes },
): Promise<Due[]> {
  const ages = new Map(days.map(({ day, ageMs }) => [day, ageMs]));
  const read = await from.days(site, [...ages.keys()], (day, hash) =>
    isSame(known.get(day), stateOf(hash, given.get(day))),
  );
  const due = read.flatMap(({ day, hash, counts }) =>
    counts ? [{ day, counts, ageMs: ages.get(day) ?? 0, hash: stateOf(hash, given.get(day)) }] : [],
  );
  const names = due.map(({ day }) => day).filter((day) => given.has(day));
  const gifts =
    origin === undefined || names.length === 0
      ? new Map<Day, DayCounts>()
      : await from.taken(to.id, origin, names);
  return due.map((each) => ({ ...each, given: gifts.get(each.day) ?? NOTHING }));
}

/** Brings as much as a transaction should. */
function bring(
  { from, to }: CopyOptions,
  { id, there }: Pair,
  due: readonly Due[],
): Promise<{ added: readonly AddedDay[]; left: Due[] }> {
  const [now, later] = parted(due);
  return to.transaction(async (change) => {
    const taken = await change.taken(
      from.id,
      id,
      now.map(({ day }) => day),
    );
    const added: AddedDay[] = [];
    const state = new Map<Day, Taken>();
    const unfinished: Due[] = [];
    let room = VALUES_AT_ONCE;
    for (const each of now) {
      const { day, ageMs, counts, given, hash } = each;
      const had = taken.get(day) ?? NOTHING;
      const missing = difference(counts, merged([had, given]));
      const part = portion(missing, room);
      room -= sizeOf(part);
      const isAll = sizeOf(part) === sizeOf(missing);
      if (!isAll) unfinished.push(each);
      if (part.size > 0) added.push({ day, ageMs, counts: part });
      state.set(day, { counts: merged([had, part]), hash: isAll ? hash : null });
    }
    await change.count(there.key, added);
    await change.saveTaken(from.id, id, state);
    return { added, left: [...unfinished, ...later] };
  });
}

/** What a transaction should bring, a day at least, and the others. */
function parted(due: readonly Due[]): [now: readonly Due[], later: readonly Due[]] {
  let size = 0;
  const end = due.findIndex(({ counts }, i) => {
    const isFull = i > 0 && size > VALUES_AT_ONCE;
    size += VALUES_OF_A_DAY + sizeOf(counts);
    return isFull;
  });
  return end < 0 ? [due, []] : [due.slice(0, end), due.slice(end)];
}

/** Of what the source says and what it has from the target; null where that cannot be told. */
function stateOf(hash: Uint8Array, given: Uint8Array | null | undefined): Uint8Array | null {
  if (given === undefined) return hash;
  return given && createHash("sha256").update(hash).update(given).digest();
}

function isSame(one: Uint8Array | null | undefined, other: Uint8Array | null): boolean {
  return !!one && !!other && Buffer.compare(one, other) === 0;
}
