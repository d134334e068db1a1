import { BOUNDS } from "../../base/bounds.ts";
import type { ZoneSetting } from "../../base/day-zone.ts";
import {
  type DocumentKind,
  documentKind,
  FLAG,
  mapOf,
  objectOf,
  orNull,
  TEXT,
} from "../../base/documents.ts";
import { DIGEST } from "../../base/input/digest.ts";
import { GOALS } from "../../base/input/goals.ts";
import { LEFT_OUT } from "../../base/input/left-out.ts";
import { MARKS } from "../../base/input/marks.ts";
import { SAVED_VIEWS } from "../../base/input/saved-views.ts";
import { VALUE_RULES } from "../../base/input/value-rules.ts";
import { HOST_PATTERN, SITE_ID_PATTERN } from "../../base/names.ts";

import { KNOWN_PLACES } from "../places/kinds.ts";
import type { SurveyLabels } from "../reports.ts";
import { ALARM_SINCE, SITE_ALARMS } from "./alarms.ts";
import { HASH, SHARE_USES, SHARES } from "./shares.ts";

/** A site as it is kept; its document's id is its number. */
export interface SiteBody {
  readonly id: string;
  readonly host: string | null;
  readonly badge: boolean;
  /** Whether the configuration of the service names it. */
  readonly declared: boolean;
  /** Whether the configuration does not declare it any more: it keeps its counts, and neither counts nor shows any. */
  readonly retired: boolean;
  /** SHA-256 of the token that reads it, in hex. */
  readonly token: string | null;
  /**
   * SHA-256 of the token in the link by which all of its traffic is shared, in hex, from a release that knows one link. Others
   * are in SHARES.
   */
  readonly share: string | null;
  /**
   * The same of a link by which a part is shared, by the conditions of that part. Its token is none of `share`, since a release that knows no
   * parts would show all of the traffic to it, after a step back or beside newer nodes of a fleet.
   */
  readonly sharePart?: { readonly hash: string; readonly where: readonly string[] };
}

export const SITES = documentKind<SiteBody>(
  "site",
  objectOf(
    {
      id: { type: "string", pattern: SITE_ID_PATTERN },
      host: orNull({ type: "string", pattern: HOST_PATTERN, maxLength: 255 }),
      badge: FLAG,
      declared: FLAG,
      retired: FLAG,
      token: orNull(HASH),
      share: orNull(HASH),
    },
    { sharePart: objectOf({ hash: HASH, where: { type: "array", items: TEXT, minItems: 1 } }) },
  ),
  { of: "fleet", bound: BOUNDS.sites, inBackup: "kept" },
);

const ONE = { count: 1, bytes: 1_024, together: 1_024 } as const;

/** The token that reads every site, in hex. */
export const ADMIN_TOKEN = documentKind<{ readonly hash: string }>(
  "admin_token",
  objectOf({ hash: HASH }),
  { of: "fleet", bound: ONE, inBackup: "kept" },
);

/** The zone of days. One that this machine does not know is kept, too. */
export const DAY_ZONE = documentKind<ZoneSetting>(
  "day_zone",
  objectOf({
    zone: TEXT,
    before: orNull(objectOf({ zone: TEXT, day: { type: "integer" }, until: { type: "number" } })),
  }),
  { of: "fleet", bound: ONE, inBackup: "kept" },
);

/**
 * The last batches that senders of a site gave a name, as hashes with commas between, newest first: what they send again
 * counts once. See `intake/once`.
 */
export const ONCE_BATCHES = documentKind<string>(
  "once_batches",
  { type: "string", maxLength: 8_000 },
  {
    of: "site",
    bound: { count: 10_000, bytes: 8_192, together: 64 * 1_048_576 },
    inBackup: "kept",
  },
);

/** The kinds that a directory is made of. */
export const DIRECTORY_KINDS: readonly string[] = [
  SITES,
  SHARES,
  LEFT_OUT,
  VALUE_RULES,
  ADMIN_TOKEN,
  DAY_ZONE,
].map(({ name }) => name);

/** The kinds after whose change the directory is told anew: whoever fetches from places looks at them then. */
export const WATCHED_KINDS: readonly string[] = [...DIRECTORY_KINDS, KNOWN_PLACES.name];

const LABEL = { type: "string", maxLength: 128 } as const;
const QUESTION = { type: "object", properties: { name: LABEL, options: mapOf(LABEL) } };

/** Names that the owner of a site gives the questions and options of its surveys, by version. */
export const SURVEY_LABELS = documentKind<SurveyLabels>("survey_labels", mapOf(mapOf(QUESTION)), {
  of: "site",
  bound: { count: 10_000, bytes: 65_536, together: 64 * 1_048_576 },
  inBackup: "kept",
});

/** The kinds of settings of a site. A copy brings each to a site that has none of that kind. */
export const SITE_SETTINGS: readonly DocumentKind[] = [
  SURVEY_LABELS,
  GOALS,
  MARKS,
  SAVED_VIEWS,
  DIGEST,
  SITE_ALARMS,
  SHARES,
  LEFT_OUT,
  VALUE_RULES,
];

/** The kinds of documents that are deleted with their site. */
export const KINDS_OF_SITES: readonly DocumentKind[] = [
  ...SITE_SETTINGS,
  SHARE_USES,
  ONCE_BATCHES,
  ALARM_SINCE.silence,
  ALARM_SINCE.rush,
];
