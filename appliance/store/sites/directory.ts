import { readZoneSetting, unknownZoneIn, type ZoneSetting } from "../../base/day-zone.ts";
import { bodyOf } from "../../base/documents.ts";
import { LEFT_OUT } from "../../base/input/left-out.ts";
import { VALUE_RULES, type ValueRules } from "../../base/input/value-rules.ts";
import type { StaysOut } from "../../base/text/left-out.ts";
import { type Revision, revisionOf } from "../changes.ts";
import type { SiteKey } from "../counting.ts";
import type { Transaction } from "../sql.ts";
import { ADMIN_TOKEN, DAY_ZONE, DIRECTORY_KINDS, SITES, type SiteBody } from "./kinds.ts";
import { type FirstShare, SHARES, type SiteShare, sharesIn } from "./shares.ts";

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
  /** The link that is kept with the site itself, or null. See `sharesOf` for all. */
  readonly share: FirstShare | null;
  /** The links beside that one, oldest first. */
  readonly shares: readonly SiteShare[];
  /** The values that are not to count; undefined where all do. */
  readonly leftOut?: StaysOut | undefined;
  /** The values that count as others. */
  readonly valueRules?: ValueRules | undefined;
  /** The fields that a later release has given it; none of them is lost when it is changed here. */
  readonly others?: Readonly<Record<string, unknown>> | undefined;
}

/** The rules of a site for what is counted of it. */
export type SiteRules = Pick<SiteRecord, "leftOut" | "valueRules">;

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

/** Reads the directory. A damaged site is left out. */
export async function readDirectory(sql: Pick<Transaction, "rows" | "epoch">): Promise<Directory> {
  const revision = await revisionOf(sql);
  return directoryOf(revision, await sql.rows(DIRECTORY_ROWS));
}

/** Selects the documents that a directory is made of. */
export const DIRECTORY_ROWS: string = `SELECT kind, id, body FROM document
  WHERE kind IN (${DIRECTORY_KINDS.map((kind) => `'${kind}'`).join()}) AND body IS NOT NULL`;

/** @param rows the answer to DIRECTORY_ROWS */
export function directoryOf(
  revision: Revision,
  rows: readonly Readonly<Record<"kind" | "id" | "body", string>>[],
): Directory {
  const of = (kind: string) => rows.filter((row) => row.kind === kind);
  const [adminToken] = of(ADMIN_TOKEN.name);
  const [{ body: dayZone } = { body: null }] = of(DAY_ZONE.name);
  const unknownZone = unknownZoneIn(dayZone);
  const shares = new Map(of(SHARES.name).map(({ id, body }) => [id, sharesIn(id, body)]));
  const rules = rulesIn(rows);
  const all = of(SITES.name).flatMap(({ id, body }) => {
    const site = bodyOf(SITES, id, body);
    return site === undefined
      ? []
      : [siteOf(Number(id), site, { shares: shares.get(id) ?? [], ...rules.get(id) })];
  });
  // Databases sort texts by the rules of languages.
  all.sort((a, b) => (a.record.id < b.record.id ? -1 : 1));
  const records = (isRetired: boolean) =>
    all.flatMap(({ record, retired }) => (retired === isRetired ? [record] : []));
  return {
    revision,
    sites: records(false),
    retired: records(true),
    adminHash: bytesOf(
      (adminToken && bodyOf(ADMIN_TOKEN, adminToken.id, adminToken.body)?.hash) ?? null,
    ),
    dayZone: readZoneSetting(dayZone),
    ...(unknownZone !== undefined && { unknownZone }),
  };
}

/** The rules of sites by their ids, as far as there are any: a damaged document has none. */
function rulesIn(rows: Parameters<typeof directoryOf>[1]): ReadonlyMap<string, SiteRules> {
  const rules = new Map<string, SiteRules>();
  for (const { kind, id, body } of rows) {
    const leftOut = kind === LEFT_OUT.name ? bodyOf(LEFT_OUT, id, body) : undefined;
    const valueRules = kind === VALUE_RULES.name ? bodyOf(VALUE_RULES, id, body) : undefined;
    if (leftOut !== undefined) rules.set(id, { ...rules.get(id), leftOut });
    if (valueRules !== undefined) rules.set(id, { ...rules.get(id), valueRules });
  }
  return rules;
}

function siteOf(
  key: SiteKey,
  body: SiteBody,
  set: Pick<SiteRecord, "shares" | "leftOut" | "valueRules">,
): { record: SiteRecord; retired: boolean } {
  const { id, host, badge, declared, retired, token, share, sharePart, ...others } = body;
  const record = {
    key,
    id,
    host,
    badge,
    declared,
    tokenHash: bytesOf(token),
    share: shareOf(share, sharePart),
    ...set,
  };
  const hasOthers = Object.keys(others).length > 0;
  return { record: hasOthers ? { ...record, others } : record, retired };
}

/** The link that is kept with a site. One to all of it is newer than one to a part, where a release that knows no parts made it. */
function shareOf(all: SiteBody["share"], part: SiteBody["sharePart"]): FirstShare | null {
  const hash = bytesOf(all ?? part?.hash ?? null);
  return hash && { hash, where: all === null ? (part?.where ?? []) : [] };
}

function bytesOf(hex: string | null): Uint8Array | null {
  return hex === null ? null : Uint8Array.from(Buffer.from(hex, "hex"));
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

/** The outcome of a change of the rules for its values. */
export type RuleOutcome = SiteOutcome | "cycle" | "too_many_rules" | "no_such_rule";

/** The outcome of a change of a site's links. */
export type ShareOutcome = SiteOutcome | "too_many_shares" | "no_such_share";

export interface SiteInput {
  readonly id: string;
  readonly host?: string | null | undefined;
  readonly badge?: boolean | undefined;
  /** The zone of days, for the first site while no zone has been named. */
  readonly zone?: string | undefined;
}
