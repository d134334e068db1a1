import { isDeepStrictEqual } from "node:util";
import { BOUNDS } from "../../base/bounds.ts";
import { LEFT_OUT } from "../../base/input/left-out.ts";
import { VALUE_RULES } from "../../base/input/value-rules.ts";
import type { ValueRule } from "../../base/text/dimensions.ts";
import { NOTHING_LEFT_OUT, type StaysOut } from "../../base/text/left-out.ts";
import { type Change, change } from "../changes.ts";
import { documentsChange } from "../documents.ts";
import { planZone } from "../sites/day-zone.ts";
import {
  type Directory,
  readDirectory,
  retiredIn,
  type SiteOutcome,
  siteIn,
} from "../sites/directory.ts";
import { Draft } from "../sites/draft.ts";
import { NO_VALUE_RULES } from "../sites/value-rules.ts";
import type { Transaction } from "../sql.ts";

/** The word of a home about sites. */
export interface HomeWord {
  /** The zone by which days begin; null leaves it as it is, for none was named at home. */
  readonly zone: string | null;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly sites: readonly {
    readonly id: string;
    readonly host: string | null;
    readonly badge: boolean;
    /** SHA-256 of the token that reads it; null for none. */
    readonly tokenHash: Uint8Array | null;
    /** The values that are not to count. */
    readonly leftOut: StaysOut;
    /** The values that count as others, in what is settled, too. No `to` of them is a `from`. */
    readonly valueRules: readonly ValueRule[];
  }[];
}

/** The outcome for a site that is not as home says. */
export type Disobeyed = readonly [id: string, outcome: Exclude<SiteOutcome, "done">];

/**
 * Makes the sites of a place those of its home: missing ones are added, and their settings are home's. A site that home does not
 * name stays as it is, with its counts: it may be another home's.
 * @throws {Refusal} `left_out_limit`, `rule_limit`
 */
export async function obeyHome(sql: Transaction, word: HomeWord): Promise<readonly Disobeyed[]> {
  await sql.lock();
  const zone = planZone(await readDirectory(sql), word.zone ?? undefined, word.now).change;
  if (zone.documents.length > 0) await change(sql, zone);
  const directory = await readDirectory(sql);
  const draft = new Draft(directory);
  let count = directory.sites.length + directory.retired.length;
  const not: Disobeyed[] = [];
  for (const { id, host, badge, tokenHash } of word.sites) {
    const outcome = addIn(directory, draft, id, count);
    if (outcome === "added") count++;
    else if (outcome !== "there") {
      not.push([id, outcome]);
      continue;
    }
    draft.set(id, { tokenHash });
    if (siteIn(directory, id)?.declared) {
      not.push([id, "declared"]);
      continue;
    }
    const isTaken = draft.isTaken({ id, host });
    if (isTaken) not.push([id, "host_taken"]);
    draft.set(id, { badge, ...(!isTaken && { host }) });
  }
  const planned = draft.change();
  if (planned.documents.length > 0) await change(sql, planned);
  const rules = rulesChange(await readDirectory(sql), word);
  if (rules.documents.length > 0) await change(sql, rules);
  return not;
}

/** The change after which sites are counted by the rules of home. */
function rulesChange(directory: Directory, { sites }: HomeWord): Change {
  const found = new Map(directory.sites.map((site) => [site.id, site]));
  const known = sites.flatMap(({ id, ...wanted }) => {
    const site = found.get(id);
    return site === undefined ? [] : [{ site, wanted, id: String(site.key) }];
  });
  const leftOut = known.flatMap(({ site, wanted, id }) =>
    isDeepStrictEqual(site.leftOut ?? NOTHING_LEFT_OUT, wanted.leftOut)
      ? []
      : [{ id, body: wanted.leftOut }],
  );
  const valueRules = known.flatMap(({ site, wanted: { valueRules: rules }, id }) => {
    const before = site.valueRules ?? NO_VALUE_RULES;
    if (isDeepStrictEqual(before.rules, rules)) return [];
    const [known, stillDue] = [before.rules, before.due].map((all) => new Set(all.map(nameOf)));
    // A rule that is new here is due for what is settled, too.
    const due = rules.filter(
      (rule) => !known?.has(nameOf(rule)) || stillDue?.has(nameOf(rule)) === true,
    );
    return [{ id, body: { rules, due } }];
  });
  return {
    documents: [
      ...(leftOut.length > 0 ? [documentsChange(LEFT_OUT, { put: leftOut })] : []),
      ...(valueRules.length > 0 ? [documentsChange(VALUE_RULES, { put: valueRules })] : []),
    ],
    ...(valueRules.length > 0 && { voids: true }),
  };
}

function nameOf({ dimension, from, to }: ValueRule): string {
  return JSON.stringify([dimension, from, to]);
}

/** Adds a site where there is none. @returns how it is then */
function addIn(
  directory: Directory,
  draft: Draft,
  id: string,
  count: number,
): "there" | "added" | "too_many" | "same_token_name" {
  if (siteIn(directory, id)) return "there";
  if (draft.hasTwin(id)) return "same_token_name";
  const isRetired = retiredIn(directory, id) !== undefined;
  if (!isRetired && count >= BOUNDS.sites.count) return "too_many";
  draft.add(id);
  return isRetired ? "there" : "added";
}
