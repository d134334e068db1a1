import { exactly, type Fitting, FLAG, textUpTo } from "../../base/input/schema.ts";

/** The contents of a file that may be imported, and what an import of it would do. */
export interface UploadPreview {
  /** The name of the format, for people: `Plausible`. */
  format: string;
  /** The zone by which its days begin, an IANA name; a guess where the file does not say so. */
  zone: string;
  isZoneGuessed: boolean;
  from: string;
  to: string;
  /** The number of days with counts. */
  days: number;
  totals: ImportTotals;
  /** Views of each day from the first on, or sessions where the file has no views. */
  perDay: number[];
  /** Rows that have no place here, by what they are. */
  notBrought: Record<string, number>;
  /** Sentences about the file for its owner. */
  notes: string[];
  /** Days that stay out, by the reason. */
  leftOut: Partial<Record<"counted" | "after" | "unnamed" | "today" | "retention", number>>;
  /** Imports of which days are replaced. */
  replaces: { source: number; name: string; days: number }[];
  /** The days that it brings; those of `fresh` are not here yet. Null where it brings none. */
  brings: { from: string; to: string; days: number; fresh: number } | null;
}

/** Null for what a file does not tell. */
export interface ImportTotals {
  views: number | null;
  visitors: number | null;
  sessions: number | null;
}

/** A file on its way into a site. */
export interface ImportUpload {
  id: string;
  site: string;
  name: string;
  /** Bytes: of the whole file, and as far as it is here. */
  size: number;
  received: number;
  /**
   * `sending`: not all of it is here; `sent`: it is; `reading` and `writing`: work on it; `read`: there is a preview;
   * `done`: it is imported.
   */
  state: "sending" | "sent" | "reading" | "read" | "writing" | "done";
  /** The share of reading or writing, 0 to 1. */
  share: number;
  preview: UploadPreview | null;
  /** The sentence about the last work, where that failed. */
  problem: string | null;
}

const DAY = { ...textUpTo(10), description: "must be a day like 2026-01-31" };

/** The choice of the owner, as the command line takes it. */
export const IMPORT_OPTIONS = exactly(
  {},
  {
    from: DAY,
    to: DAY,
    zone: {
      ...textUpTo(64),
      description: "must be a time zone by its IANA name, like Europe/Zurich or UTC",
    },
    /** The host of the site in an access log of several. */
    host: {
      ...textUpTo(253),
      minLength: 1,
      description: "must be the name of a host, like example.com",
    },
    /** The pattern of the lines of an access log, as nginx has variables. */
    logFormat: {
      ...textUpTo(1_024),
      minLength: 1,
      pattern: "^[^\\p{Cc}]*$",
      description:
        "must be a pattern of at most 1,024 characters in one line, with variables like $time_local",
    },
    replace: FLAG,
  },
);
export type ImportOptions = Fitting<typeof IMPORT_OPTIONS>;
