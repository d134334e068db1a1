import { type DocumentKind, objectOf, readDocument } from "../../base/documents.ts";
import { COUNTERS } from "../counting.ts";
import type { Gap } from "../reports.ts";

/** The facts about an import that its counts do not say. */
export interface ImportAbout {
  /** The name of the format, for people: `Plausible`. */
  readonly format: string;
  /** The zone by which the file's days begin, an IANA name. */
  readonly zone: string;
  /** Days of which the file does not know some counters, ascending. Days between may be of others. */
  readonly gaps: readonly Gap[];
}

const NAME = { type: "string", minLength: 1, maxLength: 64 } as const;
const DAY = { type: "string", pattern: String.raw`^\d{4}-\d{2}-\d{2}$` } as const;
/** So many fit into the row of a source, see BOUNDS. */
export const MAX_GAPS = 8;

const ABOUT: Pick<DocumentKind<ImportAbout>, "name" | "schema" | "body"> = {
  name: "import",
  schema: objectOf({
    format: NAME,
    zone: NAME,
    gaps: {
      type: "array",
      maxItems: MAX_GAPS,
      items: objectOf({
        from: DAY,
        to: DAY,
        lacks: { type: "array", maxItems: COUNTERS.length, items: { enum: COUNTERS } },
      }),
    },
  }),
};

/** @param json the column `about` of a source; null for one that is no import, or is damaged */
export function readAbout(json: string | null): ImportAbout | null {
  try {
    return json === null ? null : readDocument(ABOUT, "of a source", json);
  } catch {
    return null;
  }
}
