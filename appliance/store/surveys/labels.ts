import { documentKind, mapOf } from "../../base/documents.ts";
import type { SurveyLabels } from "../reports.ts";

const LABEL = { type: "string", maxLength: 128 } as const;
const QUESTION = { type: "object", properties: { name: LABEL, options: mapOf(LABEL) } };

/** Names that the owner of a site gives the questions and options of its surveys, by version. */
export const SURVEY_LABELS = documentKind<SurveyLabels>("survey_labels", mapOf(mapOf(QUESTION)), {
  of: "site",
  bound: { count: 10_000, bytes: 65_536, together: 64 * 1_048_576 },
  inBackup: "kept",
});
