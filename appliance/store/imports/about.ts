import { deflateRawSync, inflateRawSync } from "node:zlib";
import { BOUNDS } from "../../base/bounds.ts";
import { type Day, parseDay } from "../../base/calendar.ts";
import { type DocumentKind, objectOf, readDocument } from "../../base/documents.ts";
import { type Gap, LACKS, type Lack } from "../reports.ts";
import { runsOf } from "./days.ts";

/** The facts about an import that its counts do not say. */
export interface ImportAbout {
  /** The name of the format, for people: `Plausible`. */
  readonly format: string;
  /** The zone by which the file's days begin, an IANA name. */
  readonly zone: string;
  /** Days of which the file does not know everything, ascending. Days between may be of others. */
  readonly gaps: readonly Gap[];
}

/** The same as it is kept: a few gaps by their days, and many as a bit for each day. */
interface KeptAbout extends ImportAbout {
  readonly days?: readonly KeptDays[];
}

/** Days that lack the same. */
interface KeptDays {
  readonly lacks: readonly Lack[];
  readonly from: string;
  /** A bit for each day from there on, deflated, in Base64. */
  readonly bits: string;
}

const NAME = { type: "string", minLength: 1, maxLength: 64 } as const;
const DAY = { type: "string", pattern: String.raw`^\d{4}-\d{2}-\d{2}$` } as const;
const LACKING = { type: "array", maxItems: LACKS.length, items: { enum: LACKS } } as const;
const MAX_GAPS = 8;
/** Tools differ in what they do not know, and are not many. */
const MAX_KINDS = 32;
const BITS = 8;
/** More than a century. */
const MAX_BYTES = 5_000;

const ABOUT: Pick<DocumentKind<KeptAbout>, "name" | "schema" | "body"> = {
  name: "import",
  schema: objectOf(
    {
      format: NAME,
      zone: NAME,
      gaps: {
        type: "array",
        maxItems: MAX_GAPS,
        items: objectOf({ from: DAY, to: DAY, lacks: LACKING }),
      },
    },
    {
      days: {
        type: "array",
        maxItems: MAX_KINDS,
        items: objectOf({
          lacks: LACKING,
          from: DAY,
          bits: { type: "string", maxLength: 2 * MAX_BYTES },
        }),
      },
    },
  ),
};

/** @param json the column `about` of a source; null for one that is no import, or is damaged */
export function readAbout(json: string | null): ImportAbout | null {
  try {
    if (json === null) return null;
    const { days = [], ...about } = readDocument(ABOUT, "of a source", json);
    return days.length === 0 ? about : { ...about, gaps: gapsIn(days) };
  } catch {
    return null;
  }
}

/** Whether it can be kept: its days may lack something else each, but not in any number of ways. */
export function isKeepable(about: ImportAbout): boolean {
  const text = aboutText(about);
  return Buffer.byteLength(text) <= BOUNDS.sources.bytes && readAbout(text) !== null;
}

/** The column `about` of a source, whose gaps may be of any number. */
export function aboutText(about: ImportAbout): string {
  if (about.gaps.length <= MAX_GAPS) return JSON.stringify(about);
  const kinds = Map.groupBy(about.gaps, ({ lacks }) => lacks.join());
  const days = [...kinds.values()].map(daysOf);
  return JSON.stringify({ ...about, gaps: [], days } satisfies KeptAbout);
}

function daysOf(gaps: readonly Gap[]): KeptDays {
  const [{ from, lacks } = { from: "", lacks: [] }] = gaps;
  const first = parseDay(from) ?? 0;
  const last = parseDay(gaps.at(-1)?.to ?? from) ?? first;
  const bits = new Uint8Array(Math.min(MAX_BYTES, Math.floor((last - first) / BITS) + 1));
  for (const gap of gaps) {
    const to = parseDay(gap.to) ?? 0;
    for (let day = parseDay(gap.from) ?? 1; day <= to; day++) {
      const at = day - first;
      bits[Math.floor(at / BITS)] = (bits[Math.floor(at / BITS)] ?? 0) | (1 << (at % BITS));
    }
  }
  return { lacks, from, bits: deflateRawSync(bits).toString("base64") };
}

function gapsIn(kinds: readonly KeptDays[]): Gap[] {
  const days = kinds.flatMap(({ lacks, from, bits }) => {
    const bytes = inflateRawSync(Buffer.from(bits, "base64"), { maxOutputLength: MAX_BYTES });
    const first = parseDay(from) ?? 0;
    const its: { day: Day; lacks: readonly Lack[] }[] = [];
    for (let at = 0; at < BITS * bytes.length; at++)
      if (((bytes[Math.floor(at / BITS)] ?? 0) & (1 << (at % BITS))) !== 0)
        its.push({ day: first + at, lacks });
    return its;
  });
  return runsOf(days.sort((a, b) => a.day - b.day));
}
