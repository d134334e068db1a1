import { readZoneSetting, unknownZoneIn, type ZoneSetting } from "../../base/day-zone.ts";
import { bodyOf, type DocumentKind } from "../../base/documents.ts";
import type { ChangedDocuments, Revision } from "../changes.ts";
import type { SiteKey } from "../counting.ts";
import { ADMIN_TOKEN, DAY_ZONE, SITES, type SiteBody } from "./kinds.ts";

/** A link by which the traffic of a site is shared. */
export interface SiteShare {
  /** SHA-256 of its token. */
  readonly hash: Uint8Array;
  /** The conditions of what it shows, as texts; none for all of the traffic. */
  readonly where: readonly string[];
}

/** A site with its number. */
export interface SiteRecord {
  readonly key: SiteKey;
  readonly id: string;
  /** The collector's own domain for the site, or null. */
  readonly host: string | null;
  readonly badge: boolean;
  /** Whether the configuration names it: then it cannot be changed elsewhere. */
  readonly declared: boolean;
  /** SHA-256 of the site's own token, or null. */
  readonly tokenHash: Uint8Array | null;
  /** The link by which it is shared, or null. */
  readonly share: SiteShare | null;
  /** The fields that a later release has given it; none of them is lost when it is changed here. */
  readonly others?: Readonly<Record<string, unknown>> | undefined;
}

/** Sites, tokens and the zone: they decide about the site of a request, the right to read it, and its day. */
export interface Directory {
  readonly revision: Revision;
  /** The sites without retired ones. */
  readonly sites: readonly SiteRecord[];
  /**
   * Sites that the configuration does not declare any more. Only their numbers are kept.
   */
  readonly retired: readonly SiteRecord[];
  readonly adminHash: Uint8Array | null;
  /** The zone of days; null for UTC, because none has been named. */
  readonly dayZone: ZoneSetting | null;
  /** A zone that is set and unknown to this machine, which counts by UTC instead. */
  readonly unknownZone?: string | undefined;
}

export const EMPTY_DIRECTORY: Directory = {
  revision: { n: 0, epoch: null },
  sites: [],
  retired: [],
  adminHash: null,
  dayZone: null,
};

/** The most changes to insert one by one; with more, the whole list is sorted again. */
const FEW = 64;

interface Row {
  readonly record: SiteRecord;
  readonly retired: boolean;
}

/** The directory of a database, which is updated by changes. */
export class DirectoryCache {
  /** Rows by id. */
  #rows: Row[] = [];
  readonly #changed = new Map<SiteKey, SiteBody | undefined>();
  #adminHash: Uint8Array | null = null;
  /** JSON; null where none was named. */
  #dayZone: string | null = null;

  /** Applies changes. A damaged site is left out. */
  take({ isWhole, documents }: ChangedDocuments): void {
    if (isWhole) {
      this.#rows = [];
      this.#changed.clear();
      this.#adminHash = null;
      this.#dayZone = null;
    }
    for (const { kind, id, body } of documents)
      if (kind === SITES.name) this.#changed.set(Number(id), readable(SITES, id, body));
      else if (kind === ADMIN_TOKEN.name)
        this.#adminHash = bytesOf(readable(ADMIN_TOKEN, id, body)?.hash ?? null);
      else if (kind === DAY_ZONE.name) this.#dayZone = body;
  }

  /** The directory of a revision, of which all was taken. */
  at(revision: Revision): Directory {
    const rows = this.#rows.filter(({ record }) => !this.#changed.has(record.key));
    const added = [...this.#changed].flatMap(([key, body]) => (body ? [rowOf(key, body)] : []));
    if (added.length <= FEW) for (const row of added) rows.splice(placeOf(rows, row), 0, row);
    // Databases sort texts by the rules of languages.
    this.#rows = added.length <= FEW ? rows : [...rows, ...added].sort(byId);
    this.#changed.clear();
    const unknownZone = unknownZoneIn(this.#dayZone);
    const [sites, retired]: [SiteRecord[], SiteRecord[]] = [[], []];
    for (const row of this.#rows) (row.retired ? retired : sites).push(row.record);
    return {
      revision,
      sites,
      retired,
      adminHash: this.#adminHash,
      dayZone: readZoneSetting(this.#dayZone),
      ...(unknownZone !== undefined && { unknownZone }),
    };
  }
}

function byId({ record: a }: Row, { record: b }: Row): number {
  return a.id < b.id ? -1 : 1;
}

function readable<Body>(kind: DocumentKind<Body>, id: string, body: string | null) {
  return body === null ? undefined : bodyOf(kind, id, body);
}

function rowOf(key: SiteKey, body: SiteBody): Row {
  const { id, host, badge, declared, retired, token, share, sharePart, ...others } = body;
  const record = {
    key,
    id,
    host,
    badge,
    declared,
    tokenHash: bytesOf(token),
    share: shareOf(share, sharePart),
  };
  const hasOthers = Object.keys(others).length > 0;
  return { record: hasOthers ? { ...record, others } : record, retired };
}

/** The link of a site. One to all of it is newer than one to a part, where a release that knows no parts made it. */
function shareOf(all: SiteBody["share"], part: SiteBody["sharePart"]): SiteShare | null {
  const hash = bytesOf(all ?? part?.hash ?? null);
  return hash && { hash, where: all === null ? (part?.where ?? []) : [] };
}

function bytesOf(hex: string | null): Uint8Array | null {
  return hex === null ? null : Uint8Array.from(Buffer.from(hex, "hex"));
}

/** The place of a row, present or not. */
function placeOf(rows: readonly Row[], { record: { id } }: Row): number {
  let [from, to] = [0, rows.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((rows[middle] as Row).record.id < id) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** A site that is not retired. */
export function siteIn({ sites }: Directory, id: string): SiteRecord | undefined {
  return sites.find((site) => site.id === id);
}

export function retiredIn({ retired }: Directory, id: string): SiteRecord | undefined {
  return retired.find((site) => site.id === id);
}

/** A site as the configuration names it. */
export interface DeclaredSite {
  readonly id: string;
  readonly host: string | null;
}

/** The outcome of a change; nothing is changed unless it is done. */
export type SiteOutcome =
  | "done"
  | "exists"
  | "not_found"
  | "declared"
  | "host_taken"
  /** The limit is reached. */
  | "too_many"
  /** Another site's token has the same name. */
  | "same_token_name"
  /** A retired site can only be brought back, or erased. */
  | "retired";

export interface SiteInput {
  readonly id: string;
  readonly host?: string | null | undefined;
  readonly badge?: boolean | undefined;
  /** The zone of days, for the first site while no zone has been named. */
  readonly zone?: string | undefined;
}
