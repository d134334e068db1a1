import { documentKind, FLAG } from "../../base/documents.ts";
import {
  type Fitting,
  integerFrom,
  listOf,
  nullable,
  numberFrom,
  objectOf,
  oneAmong,
  textUpTo,
} from "../../base/input/schema.ts";
import { MAX_CURSOR, MAX_PLACE_SITES, PLACE_SITE_FIELDS } from "./unit.ts";

const KB = 1_024;
const MB = 1_024 * KB;
/** The most places of a home, and homes of a place. */
const MAX_PLACES = 64;
const ORIGINS = 1_000;

const PLACE = objectOf({
  /** The name for people: its counts have it, too. */
  name: textUpTo(40),
  /** `https://…`, without a path. */
  address: textUpTo(300),
  token: textUpTo(64),
  /** Its sites, and which of ours each is: see traffic/places/matching. */
  sites: listOf(
    objectOf({
      ...PLACE_SITE_FIELDS,
      as: nullable(textUpTo(64)),
      number: nullable(integerFrom(1)),
    }),
    MAX_PLACE_SITES,
  ),
  /** The origin of our counts when the numbers of our sites were noted: elsewhere they may be others'. */
  noted: textUpTo(32),
  /** Whether sites that we lack are made here. */
  makesSites: FLAG,
  /** A sentence: why nothing more is believed of it; null for one that is. */
  lie: nullable(textUpTo(300)),
});
export type PlaceBody = Fitting<typeof PLACE>;

/** The places that are fetched from. The token stays with the machine. */
export const KNOWN_PLACES = documentKind<PlaceBody>("place", PLACE, {
  of: "fleet",
  bound: { count: MAX_PLACES, bytes: 4 * MB, together: 16 * MB },
  full: {
    code: "place_limit",
    message: `There are ${MAX_PLACES} places already. Remove one there: \`tallydeck places remove NAME\`.`,
  },
  inBackup: "left",
});

const STATE = objectOf({
  /** The last one that the place gave. */
  cursor: textUpTo(MAX_CURSOR),
  /** The origins under which its counts are here. */
  origins: listOf(textUpTo(32), ORIGINS),
  /** Hits that came in batches since it is known. */
  hits: numberFrom(0),
  /** When it answered last (epoch ms). */
  at: numberFrom(0),
});
export type PlaceState = Fitting<typeof STATE>;

/**
 * The state of each place by the id of that. It is written in the transactions of its counts, and goes with them: to a
 * backup, and back from there.
 */
export const PLACE_STATES = documentKind<PlaceState>("place_state", STATE, {
  of: "fleet",
  bound: { count: MAX_PLACES, bytes: 96 * KB, together: 8 * MB },
  inBackup: "kept",
});

const ALARM = objectOf({
  /** The address that is told; null for none. */
  webhook: nullable(textUpTo(2_048)),
  /** The alarm that was told last and is not over, by the moment at which it began (epoch ms). */
  firing: nullable(objectOf({ alarm: oneAmong("silent", "not_believed"), since: numberFrom(0) })),
});
export type PlaceAlarmBody = Fitting<typeof ALARM>;

/** Whom the trouble with a place is told, by the id of that. */
export const PLACE_ALARMS = documentKind<PlaceAlarmBody>("place_alarm", ALARM, {
  of: "fleet",
  bound: { count: MAX_PLACES, bytes: 8 * KB, together: 256 * KB },
  inBackup: "left",
});

const HELD = objectOf({
  /** The data that it holds for. */
  origin: textUpTo(32),
  epoch: nullable(integerFrom(0)),
  runMs: integerFrom(0),
});
/** Home has all that was settled until a moment, by the time run (ms). */
export type PlaceHeld = Fitting<typeof HELD>;

const HOME = objectOf(
  {
    name: textUpTo(40),
    /** SHA-256 of its token, in hex. */
    hash: textUpTo(64),
    madeAt: numberFrom(0),
    /** When it asked last, about; null before. */
    askedAt: nullable(numberFrom(0)),
  },
  /** By its question then. */
  { held: HELD },
);
export type PlaceHome = Fitting<typeof HOME>;

/** Invitations of this place: who holds the token of one is a home, and fetches what is counted here. */
export const PLACE_HOMES = documentKind<PlaceHome>("place_home", HOME, {
  of: "fleet",
  bound: { count: MAX_PLACES, bytes: KB, together: 64 * KB },
  full: {
    code: "place_limit",
    message: `There are ${MAX_PLACES} invitations already. Take one back: \`tallydeck place revoke NAME\`.`,
  },
  inBackup: "left",
});
