import { HttpError } from "../../../base/http/errors.ts";
import { isObject, isText } from "../../../base/input/json.ts";
import { SURVEY_ID } from "../../../base/names.ts";
import type { SurveyPayload } from "../../../store/reports.ts";
import { APP_VERSION, OS_BUCKET } from "./app-ping.ts";

const MAX_DEVICES = 8;
const MAX_ANSWERS = 64;
const MAX_OPTIONS = 12;
const MAX_COMMENT = 280;
const DEVICE_ID = /^[a-z0-9][a-z0-9_-]{0,31}$/;
// Line breaks and tabs are part of a comment; other control characters are not.
const CONTROL = /[^\P{Cc}\n\t]/gu;

const SYSTEMS: readonly unknown[] = ["macos", "windows", "linux", "unknown"];

/** A survey version, wherever one is given. */
export function isSurveyVersion(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}

function isSystem(value: unknown): value is string {
  return SYSTEMS.includes(value);
}

/**
 * Reads a payload for storing, and drops invalid and unknown fields.
 * @throws {HttpError} 400 when the body is no object or its version is none.
 */
export function validateSurvey(body: unknown): SurveyPayload {
  if (!isObject(body)) throw new HttpError(400, "invalid_json", "The body must be a JSON object.");
  if (!isSurveyVersion(body.sv))
    throw new HttpError(
      400,
      "invalid_field",
      "`sv` must be the survey's version, a positive whole number.",
    );
  const answers = answersOf(body.a);
  const devices = devicesOf(body.dv);
  const comment = commentOf(body.c);
  const shaped = (value: unknown, shape: RegExp): value is string =>
    isText(value) && shape.test(value);
  return {
    sv: body.sv,
    ...(shaped(body.v, APP_VERSION) && { v: body.v }),
    ...(isSystem(body.os) && { os: body.os }),
    ...(shaped(body.ov, OS_BUCKET) && { ov: body.ov }),
    ...(devices !== "" && { dv: devices }),
    a: answers,
    ...(comment !== "" && { c: comment }),
    ...(body.f === "short" && { f: "short" as const }),
  };
}

function answersOf(a: unknown): Record<string, string | string[]> {
  if (!isObject(a)) return {};
  const answers = new Map<string, string | string[]>();
  for (const [question, answer] of Object.entries(a)) {
    if (answers.size === MAX_ANSWERS) break;
    if (!SURVEY_ID.test(question)) continue;
    if (isText(answer) && SURVEY_ID.test(answer)) answers.set(question, answer);
    if (!Array.isArray(answer)) continue;
    const options = distinct(answer, SURVEY_ID).slice(0, MAX_OPTIONS);
    if (options.length > 0) answers.set(question, options);
  }
  return Object.fromEntries(answers);
}

function devicesOf(dv: unknown): string {
  if (!isText(dv)) return "";
  const ids = dv.split(",").map((id) => id.trim());
  return distinct(ids, DEVICE_ID).slice(0, MAX_DEVICES).join(",");
}

function commentOf(c: unknown): string {
  if (!isText(c)) return "";
  const text = c.toWellFormed().replace(CONTROL, "").trim();
  return Array.from(text).slice(0, MAX_COMMENT).join("").trim();
}

function distinct(values: readonly unknown[], shape: RegExp): string[] {
  return [...new Set(values.filter((value) => isText(value) && shape.test(value)))] as string[];
}
