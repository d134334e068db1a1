import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { formatDay } from "../../base/calendar.ts";
import type { SurveyFilter, SurveyPageQuery, SurveyPosition } from "../queries.ts";
import { type Accepts, type Answer, makeAnswer } from "../reads/answer.ts";
import type { ExportPage, SurveyPayload } from "../reports.ts";
import type { SurveyRows } from "./rows.ts";

const PAGE_ROWS = 100;

/** The body of `/surveys/export`: the responses after `after`, oldest first. */
export async function surveyPage(
  surveys: SurveyRows,
  { query, accepts }: { query: SurveyPageQuery; accepts: Accepts },
): Promise<Answer> {
  const { id, filter, after, secret } = query;
  // One row beyond the page shows whether another page follows.
  const rows = await surveys.page(filter, after, PAGE_ROWS + 1);
  const page = rows.slice(0, PAGE_ROWS);
  const last = page.at(-1);
  const cursor =
    rows.length > PAGE_ROWS && last
      ? sealCursor(secret, filter, { day: last.day, row: last.id })
      : null;
  const responses = page.map(({ day, payload }) => ({
    day: formatDay(day),
    // Early responses were stored without it when it was empty.
    a: {},
    ...(JSON.parse(payload) as SurveyPayload),
  }));
  const body: ExportPage = { site: id, sv: filter.version, responses, cursor };
  return makeAnswer(JSON.stringify(body), accepts);
}

const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * A cursor holds a row's number, which is secret, and is only good for the filter it was made with:
 * authenticated encryption gives both. `secret`: 32 bytes.
 */
function sealCursor(secret: Uint8Array, filter: SurveyFilter, position: SurveyPosition): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, secret, iv).setAAD(boundTo(filter));
  const sealed = [cipher.update(JSON.stringify([position.day, position.row])), cipher.final()];
  return Buffer.concat([iv, cipher.getAuthTag(), ...sealed]).toString("base64url");
}

/** Undefined when the cursor is not ours, or was made with another filter. */
export function openCursor(
  secret: Uint8Array,
  filter: SurveyFilter,
  cursor: string,
): SurveyPosition | undefined {
  try {
    const bytes = Buffer.from(cursor, "base64url");
    // Decoding ignores invalid characters, so the cursor has to encode to the same text.
    if (bytes.toString("base64url") !== cursor) return undefined;
    const tag = bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
    const decipher = createDecipheriv(CIPHER, secret, bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(boundTo(filter))
      .setAuthTag(tag);
    const sealed = bytes.subarray(IV_BYTES + TAG_BYTES);
    const text = Buffer.concat([decipher.update(sealed), decipher.final()]).toString();
    const [day, row] = JSON.parse(text) as [number, number];
    return { day, row };
  } catch {
    return undefined;
  }
}

function boundTo({ site, version, from, to }: SurveyFilter): Buffer {
  return Buffer.from(JSON.stringify([site, version, from, to]));
}
