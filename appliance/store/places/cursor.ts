import type { Fitting } from "../../base/input/schema.ts";
import { integerFrom, listOf, nullable, objectOf, textUpTo } from "../../base/input/schema.ts";
import { schemas } from "../../base/input/shape.ts";
import type { SourceNumber } from "../snapshot.ts";
import { MAX_CURSOR } from "./unit.ts";

const NUMBERS = listOf(listOf(integerFrom(0), 2), 10_000);

/** A pass over the days that were counted on since a moment: they are read page by page, each at a moment of its own. */
const PASS = objectOf({
  /** Days that were marked since are sent, by the time run (ms); null for all days. */
  since: nullable(integerFrom(-Number.MAX_SAFE_INTEGER)),
  /** The time run when the pass began: where something was folded meanwhile, another pass follows. */
  began: integerFrom(-Number.MAX_SAFE_INTEGER),
  /** The month that was sent last. */
  site: integerFrom(0),
  month: integerFrom(-1),
  source: integerFrom(-1),
});

const CURSOR = objectOf(
  {
    origin: textUpTo(32),
    epoch: nullable(integerFrom(0)),
    /** These never go back: a database in which they did is another one. */
    generation: integerFrom(0),
    runMs: integerFrom(0),
    /** The number of each node's log up to which all was sent. */
    log: NUMBERS,
    /** The sum of the last numbers of nodes that were forgotten by then. */
    gone: integerFrom(0),
    /** The id of the last response that was sent, and how many there were shortly before it. */
    survey: integerFrom(0),
    late: integerFrom(0),
    /** The revision of the sites that were sent. */
    sites: integerFrom(-1),
  },
  { pass: PASS },
);

/** A place's position in its own changes, as JSON in Base64. It is bound to the origin and the epoch. */
export type PlaceCursor = Fitting<typeof CURSOR>;
export type PlacePass = NonNullable<PlaceCursor["pass"]>;
/** Where a pass is before its first month. */
export const PASS_START: Pick<PlacePass, "site" | "month"> & { readonly source: SourceNumber } = {
  site: 0,
  month: -1,
  source: -1,
};

const misfit = schemas({ allErrors: false })(CURSOR);

export function cursorText(cursor: PlaceCursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString("base64url");
}

/** Undefined for a text that is no cursor. */
export function readPlaceCursor(text: string): PlaceCursor | undefined {
  if (text === "" || text.length > MAX_CURSOR) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    return misfit(value) === undefined ? (value as PlaceCursor) : undefined;
  } catch {
    return undefined;
  }
}
