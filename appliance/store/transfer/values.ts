import { COUNTABLE } from "../../base/bounds.ts";
import { DAY_MS, type Day } from "../../base/calendar.ts";
import { isObject, isText } from "../../base/input/json.ts";
import { SURVEY_ID } from "../../base/names.ts";
import { COUNTERS } from "../counting.ts";

/** Whether a value from elsewhere is valid. */
export type Check = (value: unknown) => boolean;

const like =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === "string" && pattern.test(value);

const MAX_TEXT = 128;
/** 2100-01-01. A file with later counts would take the clock of whoever takes it in along. */
export const LAST_BELIEVED_DAY: Day = 47_482;
/** The largest permanent number of a row; numbers after it would not be exact. */
const LAST_ID = 2 ** 52;

/** The form of an origin in `meta` and `source`. */
export const isOrigin: Check = like(/^[0-9a-f]{1,32}$/);
export const isWhole: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
export const isDay: Check = (value) => isWhole(value) && Number(value) <= LAST_BELIEVED_DAY;
/** Epoch milliseconds. */
export const isTime: Check = (value) =>
  isWhole(value) && Number(value) <= LAST_BELIEVED_DAY * DAY_MS;
export const isRowId: Check = (value) => isWhole(value) && Number(value) <= LAST_ID;
/** The check of counted values, and of other texts for people. */
export const isShortText: Check = (value) =>
  typeof value === "string" && (value.length <= MAX_TEXT || [...value].length <= MAX_TEXT);
export const isBlob: Check = (value) => value instanceof Uint8Array;
export const isCount: Check = (value) => isWhole(value) && Number(value) <= COUNTABLE.together;
export const isCounter: Check = (value) => (COUNTERS as readonly unknown[]).includes(value);

/** Whether a response is as it was taken. @param payload JSON */
export function isSurvey(version: unknown, payload: unknown): boolean {
  const response = objectOf(payload);
  if (response === undefined || response.sv !== version || Number(version) < 1) return false;
  const { sv: _, a = {}, ...texts } = response;
  const isAnswer = (answer: unknown) =>
    [answer].flat().every((option) => like(SURVEY_ID)(option)) && [answer].flat().length > 0;
  return (
    isObject(a) &&
    Object.entries(a).every(([question, answer]) => SURVEY_ID.test(question) && isAnswer(answer)) &&
    Object.entries(texts).every(([, value]) => isText(value))
  );
}

function objectOf(json: unknown): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(String(json));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
