import { ONLY, SESSION } from "../../base/documents.ts";
import { type Change, change, type DocumentRow, type DocumentsChange } from "../changes.ts";
import { sitesThatCount } from "../counts/sites-that-count.ts";
import type { Soon } from "../counts/source.ts";
import { documentsChange } from "../documents.ts";
import type { Transaction } from "../sql.ts";
import type { PlannedWriteName, SharedWriteName, WriteInput, WriteResult } from "../writes.ts";
import { planFleetZone, planZone } from "./day-zone.ts";
import { planDeclared } from "./declare.ts";
import { type DeclaredSite, type Directory, readDirectory } from "./directory.ts";
import { ADMIN_TOKEN } from "./kinds.ts";
import { SITE_PLANS } from "./plans.ts";
import { addedBy, importSites, undoImportOfSites } from "./settings-import.ts";

/**
 * Makes a change that is planned by the sites there are, which nobody else changes meanwhile.
 * @throws {Refusal} as `change`
 */
async function changeSites<T>(
  sql: Transaction,
  plan: (directory: Directory) => Soon<{ readonly change: Change; readonly result: T }>,
): Promise<T> {
  await sql.lock();
  const { change: planned, result } = await plan(await readDirectory(sql));
  if (planned.documents.length > 0) await change(sql, planned);
  return result;
}

/** The writes that are planned by the sites there are; see there. */
export const SITE_WRITES: {
  readonly [W in PlannedWriteName | SharedWriteName]: (
    sql: Transaction,
    input: WriteInput<W>,
  ) => Promise<WriteResult<W>>;
} = {
  createSite: planned("createSite"),
  updateSite: planned("updateSite"),
  renameSite: planned("renameSite"),
  eraseSite: planned("eraseSite"),
  setSiteToken: planned("setSiteToken"),
  shareSite: planned("shareSite"),
  setOfSite: planned("setOfSite"),
  setAdminToken: (sql, { hash, kept }) =>
    changeSites(sql, ({ adminHash }) => {
      const sessions = { kind: { name: SESSION }, put: [], remove: [], keepOnly: kept };
      const documents = [adminChange(hash), ...(adminHash === null ? [] : [sessions])];
      return { change: { documents }, result: undefined };
    }),
  importSettings: (sql, { sites, documents }) =>
    changeSites(sql, async (directory) => {
      const { before, change } = importSites(directory, sites);
      const back: DocumentsChange[] = [];
      for (const each of documents) back.push(await wayBack(sql, each));
      return {
        change: { ...change, documents: [...change.documents, ...documents] },
        result: { documents: back, sites: before },
      };
    }),
  undoImport: (sql, { sites, documents }) =>
    changeSites(sql, async (directory) => {
      const added = addedBy(sites, directory);
      const counting = new Set(await sitesThatCount(sql.snapshot, sql.rows, added));
      const { stay, change } = undoImportOfSites(directory, sites, counting);
      return {
        change: { ...change, documents: [...change.documents, ...documents] },
        result: stay,
      };
    }),
};

function planned<W extends PlannedWriteName>(name: W) {
  return (sql: Transaction, input: WriteInput<W>) =>
    changeSites(sql, (directory) => SITE_PLANS[name](directory, input));
}

/** The admin token is another one, or, where its hash is null, there is none. */
export function adminChange(hash: Uint8Array | null): DocumentsChange {
  if (hash === null) return documentsChange(ADMIN_TOKEN, { remove: [ONLY] });
  const body = { hash: Buffer.from(hash).toString("hex") };
  return documentsChange(ADMIN_TOKEN, { put: [{ id: ONLY, body }] });
}

/** The change that restores the present documents after another change. */
async function wayBack(
  { rows }: Transaction,
  { kind, put, remove }: DocumentsChange,
): Promise<DocumentsChange> {
  const ids = new Set([...put.flatMap(({ id }) => id ?? []), ...remove]);
  const all = await rows<DocumentRow>(
    "SELECT id, body, revision FROM document WHERE kind = $1 AND body IS NOT NULL",
    [kind.name],
  );
  const known = all.filter(({ id }) => ids.has(id));
  for (const { id } of known) ids.delete(id);
  return {
    kind,
    put: known.map(({ id, body, revision }) => ({ id, body, ...(revision === 0 && { revision }) })),
    remove: [...ids],
  };
}

/**
 * Changes the sites to those that the configuration declares.
 * @returns sentences for the owner
 * @throws {ConfigRefused} when the token of one site would open another; nothing is changed then
 */
export function declareSites(
  sql: Transaction,
  declared: readonly DeclaredSite[],
): Promise<string[]> {
  return changeSites(sql, (directory) => {
    const { change, sentences } = planDeclared(directory, declared);
    return { change, result: [...sentences] };
  });
}

interface NamedZone {
  /** Undefined leaves it as it is. */
  readonly zone: string | undefined;
  /** Whether others share the zone, so that the first named one stays. */
  readonly isShared?: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Sets the zone of days.
 * @returns sentences for the owner
 */
export async function nameZone(
  sql: Transaction,
  { zone, isShared = false, now }: NamedZone,
): Promise<string[]> {
  if (zone === undefined) return [];
  return changeSites(sql, (directory) => {
    const planned = isShared ? planFleetZone : planZone;
    const { change, sentences } = planned(directory, zone, now);
    return { change, result: [...sentences] };
  });
}
