import { type Fitting, integerFrom, listOf, objectOf, textUpTo } from "../../base/input/schema.ts";
import { schemas } from "../../base/input/shape.ts";
import {
  MAX_CURSOR,
  onceHash,
  PLACE_HELLO,
  type PlaceHello,
  type PlaceMonth,
  type PlaceSurvey,
  type PlaceUnit,
} from "../../store/store.ts";
import { type Frame, FrameEncoder, framesIn, NotFrames } from "./frames.ts";

/** A unit as it came, which is judged by `judge` yet. */
export interface CameUnit extends Omit<PlaceUnit, "hello"> {
  readonly hello: PlaceHello;
}

const MB = 1_048_576;
/** The most that a unit takes unpacked: a place sends a few megabytes, unless one month has more. */
const MAX_UNIT_BYTES = 96 * MB;
const TOGETHER_BYTES = 65_536;
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

/**
 * Units as frames, each of them after the one before: each has `until` as its last one, and begins with `hello` where that says
 * more than the one before. Small frames of a unit come together.
 */
export async function* encodedUnits(
  units: AsyncIterable<PlaceUnit> | Iterable<PlaceUnit>,
  version: string,
): AsyncGenerator<Buffer> {
  const encoder = new FrameEncoder();
  let before: PlaceUnit | undefined;
  for await (const unit of units) {
    let together: Buffer[] = [];
    let bytes = 0;
    for (const frame of framesOf(unit, version, before)) {
      const packed = await encoder.encode(frame);
      together.push(packed);
      bytes += packed.length;
      if (bytes < TOGETHER_BYTES) continue;
      yield Buffer.concat(together);
      [together, bytes] = [[], 0];
    }
    yield Buffer.concat(together);
    before = unit;
  }
}

function* framesOf(unit: PlaceUnit, version: string, before?: PlaceUnit): Generator<Frame> {
  if (before === undefined || saysMore(unit.hello, before.hello))
    yield jsonFrame("hello", { ...unit.hello, version } satisfies PlaceHello);
  for (const bytes of unit.log) yield { kind: "batch", bytes };
  for (const month of unit.days) yield { kind: "days", bytes: monthBytes(month) };
  if (unit.surveys.length > 0) yield jsonFrame("surveys", unit.surveys);
  yield jsonFrame("until", { cursor: unit.until });
}

/**
 * The units of a stream that a stranger may have made, each once it is whole.
 * @throws {NotFrames} where it has none, or is cut within one
 */
export async function* unitsIn(stream: AsyncIterable<Uint8Array>): AsyncGenerator<CameUnit> {
  let open: OpenUnit | undefined;
  let before: Pick<CameUnit, "hello" | "until"> | undefined;
  for await (const frame of framesIn(stream)) {
    if (open !== undefined && frame.kind === "hello")
      throw new NotFrames("a unit says hello twice");
    open ??= { hello: helloOf(frame, before), log: [], days: [], surveys: [], bytes: 0 };
    open.bytes += frame.bytes.length;
    if (open.bytes > MAX_UNIT_BYTES) throw new NotFrames("it has more than a unit may");
    if (frame.kind === "batch") open.log.push(frame.bytes);
    else if (frame.kind === "days") open.days.push(monthOf(frame));
    else if (frame.kind === "surveys") open.surveys.push(...jsonOf(frame, SURVEYS));
    else if (frame.kind === "until") {
      const { bytes: _, ...unit } = open;
      const { cursor: until } = jsonOf(frame, UNTIL);
      before = { hello: unit.hello, until };
      open = undefined;
      yield { ...unit, until };
    }
  }
  if (open !== undefined || before === undefined) throw new NotFrames("it is cut");
}

type Hello = PlaceUnit["hello"];

function saysMore({ origin, past, zone, sites }: Hello, before: Hello): boolean {
  const isSame = origin === before.origin && zone === before.zone;
  return !isSame || past.length !== before.past.length || sites !== undefined;
}

/** The hello of a unit by its first frame. @throws {NotFrames} */
function helloOf(first: Frame, before?: Pick<CameUnit, "hello" | "until">): PlaceHello {
  if (first.kind === "hello") return jsonOf(first, PLACE_HELLO);
  if (before === undefined) throw new NotFrames("it does not begin with a hello");
  const { sites: _, ...hello } = before.hello;
  return { ...hello, to: onceHash(before.until) };
}

/** A unit of which not all has come. */
interface OpenUnit {
  readonly hello: PlaceHello;
  readonly log: Uint8Array[];
  readonly days: PlaceMonth[];
  readonly surveys: PlaceSurvey[];
  bytes: number;
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
