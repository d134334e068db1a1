import type { Compared } from "../../base/comparison.ts";
import { OTHER } from "../../base/names.ts";

/** Values of a dimension with their views. */
export type Counted = readonly (readonly [name: string, count: number])[];

/** A page or a source with its views, and those of the span before. */
export type Mover = Compared & ({ readonly page: string } | { readonly source: string });

/** The values that moved most, the one with the largest change first. */
export interface Movers {
  readonly rose: readonly Mover[];
  readonly fell: readonly Mover[];
}

type Spans<Of> = Readonly<Record<keyof Compared, Of>>;

/** Values of each direction that a digest names. */
const MOST = 3;
/** The least change that is told, in views and as a part of those before: a quiet site has none. */
const LEAST_VIEWS = 10;
const LEAST_PART = 0.2;

/** @param views all views of both spans; null where not all are known, and nothing is compared */
export function moversOf(
  views: Spans<number | null>,
  { pages, sources }: { readonly pages: Spans<Counted>; readonly sources: Spans<Counted> },
): Movers {
  if (!isKnown(views)) return { rose: [], fell: [] };
  const movers: Mover[] = [
    ...movedIn(pages, views).map(([page, counts]) => ({ page, ...counts })),
    ...movedIn(sources, views).map(([source, counts]) => ({ source, ...counts })),
  ].sort((a, b) => Math.abs(movedBy(b)) - Math.abs(movedBy(a)));
  return {
    rose: movers.filter((mover) => movedBy(mover) > 0).slice(0, MOST),
    fell: movers.filter((mover) => movedBy(mover) < 0).slice(0, MOST),
  };
}

/** `now` less `before`. */
export function movedBy({ now, before }: Compared): number {
  return now - before;
}

function movedIn({ now, before }: Spans<Counted>, views: Compared): [string, Compared][] {
  // Days may have been imported without it: beside them, a steady page would seem to move.
  if (!isWhole(now, views.now) || !isWhole(before, views.before)) return [];
  const counts = { now: new Map(now), before: new Map(before) };
  return [...new Set([...counts.now.keys(), ...counts.before.keys()])].flatMap((name) => {
    const compared = { now: countOf(counts.now, name), before: countOf(counts.before, name) };
    return name !== OTHER && isKnown(compared) && isTold(compared) ? [[name, compared]] : [];
  });
}

/** Whether a dimension was counted of all views. */
function isWhole(values: Counted, views: number): boolean {
  return values.reduce((sum, [, count]) => sum + count, 0) >= views;
}

/** @returns null where it may be among the others */
function countOf(counts: ReadonlyMap<string, number>, name: string): number | null {
  return counts.get(name) ?? (counts.has(OTHER) ? null : 0);
}

function isKnown(counts: Spans<number | null>): counts is Compared {
  return counts.now !== null && counts.before !== null;
}

function isTold(counts: Compared): boolean {
  const change = Math.abs(movedBy(counts));
  return change >= LEAST_VIEWS && change / counts.before >= LEAST_PART;
}
