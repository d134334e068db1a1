import { type Fitting, integerFrom, listOf, objectOf, textUpTo } from "../../base/input/schema.ts";
import { schemas } from "../../base/input/shape.ts";
import {
  MAX_CURSOR,
  PLACE_HELLO,
  type PlaceHello,
  type PlaceMonth,
  type PlaceSurvey,
  type PlaceUnit,
} from "../../store/store.ts";
import { encodeFrame, type Frame, framesIn, NotFrames } from "./frames.ts";

/** A unit as it came, which is judged by `judge` yet. */
export interface CameUnit extends Omit<PlaceUnit, "hello"> {
  readonly hello: PlaceHello;
}

const MB = 1_048_576;
/** The most that a unit takes unpacked: a place sends a few megabytes, unless one month has more. */
const MAX_UNIT_BYTES = 96 * MB;
const MAX_SURVEYS = 5_000;
const MAX_DAY = 157_053;

const DAYS_HEAD = objectOf({
  origin: textUpTo(32),
  site: integerFrom(1, 2 ** 30),
  month: integerFrom(0, 5_159),
  ages: listOf(listOf({ type: "integer", minimum: 0 } as ReturnType<typeof integerFrom>, 2), 31),
  /** The bytes of each part, in their order. */
  counters: integerFrom(0),
  counts: integerFrom(0),
  pieces: listOf(listOf(integerFrom(-62, Number.MAX_SAFE_INTEGER), 2), 200),
});

const SURVEYS = listOf(
  objectOf({
    origin: textUpTo(32),
    number: integerFrom(1, 2 ** 52),
    site: integerFrom(1, 2 ** 30),
    version: integerFrom(1),
    day: integerFrom(0, MAX_DAY),
    payload: textUpTo(8_192),
  }),
  MAX_SURVEYS,
);

const UNTIL = objectOf({ cursor: textUpTo(MAX_CURSOR) });

const compile = schemas({ allErrors: false });
const FITS = new Map([PLACE_HELLO, DAYS_HEAD, SURVEYS, UNTIL].map((one) => [one, compile(one)]));

/** A unit as frames; the last one is `until`. */
export async function* encodedUnit(unit: PlaceUnit, version: string): AsyncGenerator<Buffer> {
  yield encodeFrame(jsonFrame("hello", { ...unit.hello, version } satisfies PlaceHello));
  for (const bytes of unit.log) yield encodeFrame({ kind: "batch", bytes });
  for (const month of unit.days) yield encodeFrame({ kind: "days", bytes: monthBytes(month) });
  if (unit.surveys.length > 0) yield encodeFrame(jsonFrame("surveys", unit.surveys));
  yield encodeFrame(jsonFrame("until", { cursor: unit.until }));
}

/**
 * The unit of a stream that a stranger may have made.
 * @throws {NotFrames} where it is none, or is not whole
 */
export async function unitIn(stream: AsyncIterable<Uint8Array>): Promise<CameUnit> {
  let hello: PlaceHello | undefined;
  let until: string | undefined;
  const log: Uint8Array[] = [];
  const days: PlaceMonth[] = [];
  const surveys: PlaceSurvey[] = [];
  let bytes = 0;
  for await (const frame of framesIn(stream)) {
    bytes += frame.bytes.length;
    if (bytes > MAX_UNIT_BYTES) throw new NotFrames("it has more than a unit may");
    if (until !== undefined) throw new NotFrames("it goes on after its end");
    if ((hello === undefined) !== (frame.kind === "hello"))
      throw new NotFrames("it does not begin with one hello");
    if (frame.kind === "hello") hello = jsonOf(frame, PLACE_HELLO);
    else if (frame.kind === "batch") log.push(frame.bytes);
    else if (frame.kind === "days") days.push(monthOf(frame));
    else if (frame.kind === "surveys") surveys.push(...jsonOf(frame, SURVEYS));
    else until = jsonOf(frame, UNTIL).cursor;
  }
  if (hello === undefined || until === undefined) throw new NotFrames("it is cut");
  return { hello, log, days, surveys, until };
}

function jsonFrame(kind: Frame["kind"], value: unknown): Frame {
  return { kind, bytes: Buffer.from(JSON.stringify(value)) };
}

/** @throws {NotFrames} */
function jsonOf<S extends object>({ kind, bytes }: Frame, schema: S): Fitting<S> {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString());
  } catch {
    throw new NotFrames(`its ${kind} is no JSON`);
  }
  const misfit = FITS.get(schema as never)?.(value);
  if (misfit !== undefined)
    throw new NotFrames(
      `its ${kind} is not as it should be: ${misfit.instancePath} ${misfit.message}`,
    );
  return value as Fitting<S>;
}

/** A month as bytes: the length of a head in JSON, that head, and the parts of the block. */
function monthBytes({ pieces: block, ...rest }: PlaceMonth): Uint8Array {
  const { counters, counts, pieces } = block;
  const about: Fitting<typeof DAYS_HEAD> = {
    ...rest,
    ages: rest.ages.map(([day, ms]) => [day, Math.floor(ms)]),
    counters: counters.length,
    counts: counts.length,
    pieces: [...pieces].map(([n, { length }]) => [n, length]),
  };
  const head = Buffer.from(JSON.stringify(about));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  return Buffer.concat([length, head, counters, counts, ...pieces.values()]);
}

/** @throws {NotFrames} */
function monthOf({ kind, bytes }: Frame): PlaceMonth {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const length = all.length < 4 ? 0 : all.readUInt32LE(0);
  const { counters, counts, pieces, ages, ...rest } = jsonOf(
    { kind, bytes: all.subarray(4, 4 + length) },
    DAYS_HEAD,
  );
  let at = 4 + length;
  // A copy: what is kept of a frame would keep all of it.
  const next = (size: number) => {
    at += size;
    return Uint8Array.from(all.subarray(at - size, at));
  };
  const block = {
    counters: next(counters),
    counts: next(counts),
    pieces: new Map(pieces.map(([n = 0, size = 0]) => [n, next(size)])),
  };
  const isOdd = pieces.some(([, size = 0]) => size < 0) || block.pieces.size < pieces.length;
  if (at !== all.length || isOdd) throw new NotFrames("its days are not as long as they say");
  return { ...rest, ages: ages.map(([day = 0, ms = 0]) => [day, ms] as const), pieces: block };
}
