import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { DAY_MS, type Day, formatDay, parseDay } from "../../base/calendar.ts";
import type { DayZone } from "../../base/day-zone.ts";
import { isTimeZone } from "../../base/time-zone.ts";
import {
  type DaySums,
  type ImportAbout,
  ImportedCounts,
  isKeepable,
  LACKS,
} from "../../store/desk.ts";
import type { Gap, Lack } from "../../store/reports.ts";
import { type Input, openInput, type Sheet } from "./files/input.ts";
import type { Format, ImportRest, Sink } from "./format.ts";
import { FORMAT_NAMES, formatOf } from "./formats.ts";
import type { LogOptions } from "./logs/access-log.ts";
import { ImportRefused } from "./refused.ts";

const HOURS = 24;
/** The kinds of rows left out that are told one by one; some have a name of the file in them. */
const MAX_KINDS = 64;
/** A file from before the web is none of counts. */
const FIRST_DAY: Day = Date.UTC(1990, 0, 1) / DAY_MS;

interface InspectOptions {
  /** The zone of our days. */
  readonly zone: DayZone;
  /** An IANA name: the zone by which days begin in the file, which may not say it. */
  readonly fileZone: string | undefined;
  readonly today: Day;
  /** The first day that keeps detail; Infinity for none. */
  readonly detailFrom: Day;
  /** The reading of access logs. */
  readonly logs: LogOptions;
  /** @param share of the bytes, 0 to 1 */
  readonly onShare: (share: number) => void;
  /** Ends it between two rows. */
  readonly signal: AbortSignal;
}

/** A file as it was read. Nothing is written anywhere. */
export interface Inspected {
  /** The name of the file, without folders. */
  readonly name: string;
  /** SHA-256 of its bytes, in hex. */
  readonly hash: string;
  readonly about: ImportAbout;
  /** Whether the file says nothing about the zone of its days, which is taken from the options or is ours. */
  readonly isZoneGuessed: boolean;
  readonly counts: ImportedCounts;
  /** The sums of its days, ascending. */
  readonly days: ReadonlyMap<Day, DaySums>;
  readonly rest: ImportRest;
  /** Rows that have no place here, by what they are. */
  readonly left: ReadonlyMap<string, number>;
  /** Sentences for the owner about the file. */
  readonly notes: readonly string[];
}

/**
 * Reads files of one format.
 * @throws {ImportRefused} where they cannot be imported, with a sentence that says what to do
 */
export async function inspect(
  paths: readonly string[],
  options: InspectOptions,
): Promise<Inspected> {
  const { zone, fileZone, signal, onShare } = options;
  const bytes = await sizeOf(paths);
  let read = 0;
  let readings = 1;
  const onBytes = (n: number) => {
    read += n;
    // Reading the hash, and the beginnings, takes hardly any time.
    onShare(Math.min(1, read / Math.max(1, readings * bytes)));
    signal.throwIfAborted();
  };
  const inputs: Input[] = [];
  try {
    for (const path of paths) inputs.push(await openInput(path, onBytes));
    const sheets = inputs.flatMap((input) => input.sheets);
    const name = nameOf(inputs);
    const format = formatOf(sheets, options.logs);
    if (format === undefined)
      throw new ImportRefused(`${name} is nothing that can be imported. ${KNOWN}`);
    const taken = new Taken();
    const sink = sinkOf(taken, options);
    const { left, lacks } = taken;
    read = 0;
    readings = format.readings ?? 1;
    const days = await readAll(format, sheets, sink, name);
    if (days.size === 0) throw new ImportRefused(`${name} has no counts: ${leftText(left)}.`);
    const ours = zone.setting.zone;
    const about: ImportAbout = {
      format: format.name,
      zone:
        taken.zone ??
        (format.days === "ours" ? ours : format.days === "UTC" ? "UTC" : (fileZone ?? ours)),
      gaps: gapsOf(days.keys(), lacks),
    };
    if (!isKeepable(about))
      throw new ImportRefused(
        `${name} does not know the same of its days, in more ways than can be noted. Import a part of it.`,
      );
    return {
      name,
      hash: await hashOf(paths),
      about,
      isZoneGuessed:
        taken.zone === undefined && format.days === "unknown" && fileZone === undefined,
      counts: sink.counts,
      days,
      rest: sink.rest,
      left,
      notes: taken.notes,
    };
  } finally {
    for (const input of inputs) await input.close();
  }
}

/** The gaps of the days of a file. @param lacks by the day; null for all of them */
function gapsOf(
  days: Iterable<Day>,
  lacks: ReadonlyMap<Day | null, readonly Lack[]>,
): ImportAbout["gaps"] {
  const gaps: Gap[] = [];
  let open: Gap | undefined;
  for (const day of days) {
    const its = new Set([...(lacks.get(day) ?? []), ...(lacks.get(null) ?? [])]);
    const inOrder = LACKS.filter((lack) => its.has(lack));
    // Days without counts lie between two that lack the same.
    if (open?.lacks.join() !== inOrder.join()) {
      open = inOrder.length === 0 ? undefined : { from: formatDay(day), to: "", lacks: inOrder };
      if (open !== undefined) gaps.push(open);
    }
    if (open !== undefined) open.to = formatDay(day);
  }
  return gaps;
}

/** @returns the sums of its days @throws {ImportRefused} where it counts what nobody can */
async function readAll(
  format: Format,
  sheets: readonly Sheet[],
  sink: Sink,
  name: string,
): Promise<ReadonlyMap<Day, DaySums>> {
  try {
    await format.read(sheets, sink);
    return sink.counts.end();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ImportRefused(`${name} counts what nobody can: ${error.message}.`, { cause: error });
  }
}

const KNOWN = `These are known: ${FORMAT_NAMES.join(", ")}.`;

function leftText(left: ReadonlyMap<string, number>): string {
  const all = [...left].map(([what, n]) => `${n} ${what}`);
  return all.length === 0 ? "it is empty" : all.join(", ");
}

async function sizeOf(paths: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const path of paths)
    bytes += await stat(path).then(
      ({ size }) => size,
      () => 0,
    );
  return bytes;
}

function nameOf(inputs: readonly Input[]): string {
  const [first = { name: "" }, ...others] = inputs;
  return others.length === 0 ? first.name : `${first.name} and ${others.length} more`;
}

async function hashOf(paths: readonly string[]): Promise<string> {
  const hashes: string[] = [];
  for (const path of paths) {
    const hash = createHash("sha256");
    for await (const bytes of createReadStream(path)) hash.update(bytes);
    hashes.push(hash.digest("hex"));
  }
  const [one, ...others] = hashes.sort();
  if (one !== undefined && others.length === 0) return one;
  return createHash("sha256").update(hashes.join()).digest("hex");
}

/** Things that a format says besides counts. */
class Taken {
  readonly left = new Map<string, number>();
  readonly notes: string[] = [];
  readonly lacks = new Map<Day | null, readonly Lack[]>();
  zone: string | undefined;
}

function sinkOf(taken: Taken, { zone, today, detailFrom }: InspectOptions): Sink {
  const { left, notes, lacks } = taken;
  const leave = (what: string, rows = 1) => {
    const kind = left.has(what) || left.size < MAX_KINDS ? what : "others of many more kinds";
    left.set(kind, (left.get(kind) ?? 0) + rows);
  };
  return {
    counts: new ImportedCounts(detailFrom),
    rest: { past: null, surveys: [], settings: new Map() },
    leave,
    note: (sentence) => notes.push(sentence),
    zone: (name) => {
      if (isTimeZone(name)) taken.zone = name;
    },
    lack: (day, its) => lacks.set(day, its),
    lackAlways: (its) => lacks.set(null, [...(lacks.get(null) ?? []), ...its]),
    hourAt: (epochMs) => zone.hourAt(epochMs),
    dayOf: (text) => checked(parseDay(text)),
    dayOfHour: (hour) => checked(Number.isNaN(hour) ? undefined : Math.floor(hour / HOURS)),
  };

  function checked(day: Day | undefined): Day | undefined {
    if (day !== undefined && day >= FIRST_DAY && day <= today) return day;
    leave(day === undefined ? "rows without a day" : "rows of days that cannot be");
    return undefined;
  }
}
