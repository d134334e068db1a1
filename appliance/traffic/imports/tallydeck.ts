import { COUNTABLE } from "../../base/bounds.ts";
import type { Day } from "../../base/calendar.ts";
import { type DocumentKind, readDocument } from "../../base/documents.ts";
import { GOALS } from "../../base/input/goals.ts";
import { isObject, plainText } from "../../base/input/json.ts";
import { LEFT_OUT } from "../../base/input/left-out.ts";
import { MARKS } from "../../base/input/marks.ts";
import { SAVED_VIEWS } from "../../base/input/saved-views.ts";
import { schemas } from "../../base/input/shape.ts";
import { VALUE_RULES } from "../../base/input/value-rules.ts";
import { DIMENSIONS } from "../../base/text/dimensions.ts";
import { storable } from "../../base/text/storable.ts";
import {
  BLOCK_COUNTERS,
  COLUMN_NAMES,
  COUNTERS,
  type DayContent,
  LACKS,
  MAX_DETAIL_ROWS,
  SURVEY_LABELS,
} from "../../store/desk.ts";
import type { Gap, Lack } from "../../store/reports.ts";
import { validateSurvey } from "../collector/counting/survey.ts";
import type { Sheet } from "./files/input.ts";
import { jsonRows } from "./files/json-rows.ts";
import type { Format, Sink } from "./format.ts";
import { ImportRefused } from "./refused.ts";

// The lines are those that exports/jsonl writes.

const VERSION = 1;
const MAX_SURVEYS = 200_000;
/** The settings that are taken, by the name of their kind. */
const SETTINGS: readonly DocumentKind[] = [
  GOALS,
  MARKS,
  SAVED_VIEWS,
  SURVEY_LABELS,
  LEFT_OUT,
  VALUE_RULES,
];

export const tallydeck: Format = {
  name: "Tallydeck",
  days: "ours",
  recognises([sheet, ...others]) {
    const version = others.length === 0 && sheet !== undefined ? versionOf(sheet) : undefined;
    if (version === undefined) return false;
    if (version > VERSION)
      throw new ImportRefused(
        `This export is of a later Tallydeck (version ${version} of its lines; ${VERSION} is known). Update this one first.`,
      );
    return true;
  },
  async read(sheets, sink) {
    sink.rest.past = {};
    for (const sheet of sheets) {
      let gaps: readonly Gap[] = [];
      for await (const line of jsonRows(sheet)) {
        if ("tallydeck" in line) {
          gaps = gapsIn(line.gaps);
          if (typeof line.zone === "string") sink.zone(line.zone);
        } else if ("response" in line) readResponse(line, sink);
        else if ("day" in line) readDay(line, gaps, sink);
        else if (isObject(line.past)) readPast(line.past, sink);
        else if ("setting" in line) readSetting(line, sink);
        else sink.leave("lines that are not known");
      }
    }
  },
};

function versionOf({ head }: Sheet): number | undefined {
  try {
    const first: unknown = JSON.parse(head.split("\n", 1)[0] ?? "");
    return isObject(first) && Number.isSafeInteger(first.tallydeck)
      ? Number(plainText(first.tallydeck))
      : undefined;
  } catch {
    return undefined;
  }
}

type Line = Readonly<Record<string, unknown>>;

const N = { type: "integer", minimum: 0, maximum: COUNTABLE.ofHour } as const;
const SUM = { ...N, maximum: 24 * COUNTABLE.ofHour } as const;
const PLACES = {
  type: "array",
  maxItems: MAX_DETAIL_ROWS,
  items: { type: "integer", minimum: 0, maximum: 65_535 },
} as const;

const misfitOf = schemas({ allErrors: false });
const dayMisfit = misfitOf({
  type: "object",
  required: ["counters", "values"],
  properties: {
    counters: {
      type: "object",
      propertyNames: { enum: BLOCK_COUNTERS },
      additionalProperties: { type: "array", maxItems: 25, items: N },
    },
    values: {
      type: "object",
      propertyNames: { enum: DIMENSIONS },
      additionalProperties: {
        type: "array",
        items: {
          type: "array",
          minItems: 4,
          maxItems: 4,
          items: [{ type: "string", maxLength: 256 }, SUM, SUM, SUM],
        },
      },
    },
    detail: {
      type: "object",
      required: ["every", "seen", "hours", "bits", "values"],
      properties: {
        every: { type: "integer", minimum: 1, maximum: COUNTABLE.times },
        seen: N,
        hours: { ...PLACES, items: { type: "integer", minimum: 0, maximum: 23 } },
        bits: { ...PLACES, items: { type: "integer", minimum: 0, maximum: 63 } },
        values: {
          type: "object",
          propertyNames: { enum: COLUMN_NAMES },
          additionalProperties: {
            type: "object",
            required: ["texts", "rows"],
            properties: {
              texts: {
                type: "array",
                maxItems: MAX_DETAIL_ROWS,
                items: { type: "string", maxLength: 256 },
              },
              rows: PLACES,
            },
          },
        },
      },
    },
  },
});

function readDay(line: Line, gaps: readonly Gap[], sink: Sink): void {
  const name = plainText(line.day);
  const day = sink.dayOf(name);
  if (day === undefined) return;
  const content = line as unknown as DayContent;
  if (dayMisfit(line) !== undefined || !isConsistent(content))
    throw new ImportRefused(
      `Its day ${name} is not as Tallydeck writes it. Export the site again.`,
    );
  sink.counts.day(day, content);
  // Exports of before name these days in their first line.
  const lacks =
    lacksIn(line.lacks) ?? gaps.find(({ from, to }) => from <= name && name <= to)?.lacks;
  if (lacks !== undefined) sink.lack(day, lacks);
}

/** Whether texts are as they are stored, and rows name what is there. */
function isConsistent({ values, detail }: DayContent): boolean {
  const isStored = (text: string) => storable(text) === text;
  const areValues = Object.values(values).every((rows) => rows.every(([text]) => isStored(text)));
  if (detail === undefined || !areValues) return areValues;
  const { every, seen, hours, bits } = detail;
  const rows = hours.length;
  const isSampled =
    Number.isInteger(Math.log2(every)) && seen > every * (rows - 1) && seen <= every * rows;
  const areColumns = Object.values(detail.values).every(
    (column) =>
      column.rows.length === rows &&
      column.texts.every(isStored) &&
      column.rows.every((row) => row <= column.texts.length),
  );
  return rows > 0 && bits.length === rows && isSampled && areColumns;
}

function gapsIn(value: unknown): readonly Gap[] {
  const isGap = (gap: unknown): gap is Gap =>
    isObject(gap) &&
    [gap.from, gap.to].every((day) => /^\d{4}-\d{2}-\d{2}$/.test(plainText(day))) &&
    lacksIn(gap.lacks) !== undefined;
  return Array.isArray(value) ? value.filter(isGap) : [];
}

function lacksIn(value: unknown): readonly Lack[] | undefined {
  const isLack = (each: unknown): each is Lack => (LACKS as readonly unknown[]).includes(each);
  return Array.isArray(value) && value.every(isLack) ? value : undefined;
}

function readPast(past: Line, sink: Sink): void {
  for (const [counter, n] of Object.entries(past)) {
    const isKnown = (COUNTERS as readonly string[]).includes(counter);
    const isCount = Number.isSafeInteger(n) && Number(n) >= 0 && Number(n) <= COUNTABLE.ofHour;
    if (isKnown && isCount && sink.rest.past !== null) sink.rest.past[counter] = Number(n);
    else sink.leave("sums that are not known");
  }
}

function readResponse(line: Line, sink: Sink): void {
  const day: Day | undefined = sink.dayOf(plainText(line.day));
  const { surveys } = sink.rest;
  if (day === undefined) return;
  const payload = payloadOf(line.response);
  if (payload === undefined) sink.leave("responses that no survey has");
  else if (surveys.length >= MAX_SURVEYS) sink.leave(`responses beyond ${MAX_SURVEYS}`);
  else
    surveys.push({
      number: surveys.length + 1,
      day,
      version: payload.sv,
      payload: JSON.stringify(payload),
    });
}

function payloadOf(response: unknown): ReturnType<typeof validateSurvey> | undefined {
  try {
    return validateSurvey(response);
  } catch {
    return undefined;
  }
}

function readSetting({ setting, body }: Line, sink: Sink): void {
  const kind = SETTINGS.find(({ name }) => name === setting);
  try {
    if (kind !== undefined)
      sink.rest.settings.set(kind.name, readDocument(kind, "of the site", JSON.stringify(body)));
    else sink.leave("settings that are not known");
  } catch {
    sink.leave("settings that are not valid");
  }
}
