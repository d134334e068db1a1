import { ONLY, SESSION } from "../../base/documents.ts";
import { messageOf } from "../../base/message-of.ts";
import { Refusal } from "../../base/refusal.ts";
import type { Change, DocumentRow, DocumentsChange } from "../changes.ts";
import type { SiteKey } from "../counting.ts";
import type { Soon } from "../counts/source.ts";
import { documentsChange } from "../documents.ts";
import { DONE, type EngineAnswer, type EngineRequest, notDone } from "../engine.ts";
import type { PlannedWriteName, WriteInput, WriteName, WriteResult } from "../writes.ts";
import { planFleetZone, planZone } from "./day-zone.ts";
import { planDeclared } from "./declare.ts";
import type { DeclaredSite, Directory } from "./directory.ts";
import { ADMIN_TOKEN, DIRECTORY_KINDS } from "./kinds.ts";
import { SITE_PLANS } from "./plans.ts";
import { addedBy, importSites, undoImportOfSites } from "./settings-import.ts";

/** A database, as far as sites are changed there. */
export interface SitesPlace {
  directory(): Soon<Directory>;
  /** @returns false where `unless` prevented it; `directory` then has the changes of others */
  change(change: Change): Soon<boolean>;
  /** All documents of a kind. */
  documents(kind: string): Soon<readonly DocumentRow[]>;
  /** The sites of these that have numbers. */
  counting(sites: readonly SiteKey[]): Soon<readonly SiteKey[]>;
}

/** The attempts at a change that conflicts with others. */
const TRIES = 3;

/**
 * Makes a change that is planned by the sites there are: where others change some of them meanwhile, it is
 * planned again.
 * @throws {Refusal} `storage_unavailable` where others are always first, and as `changeScript`
 */
async function changeSites<T>(
  place: SitesPlace,
  wish: (directory: Directory) => Soon<{ readonly change: Change; readonly result: T }>,
): Promise<T> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const directory = await place.directory();
    const { change, result } = await wish(directory);
    if (change.documents.length === 0) return result;
    const unless = { kinds: DIRECTORY_KINDS, since: directory.revision };
    if (await place.change({ ...change, unless })) return result;
  }
  throw new Refusal(
    "storage_unavailable",
    "Others change sites at this moment. Try again in a few seconds.",
  );
}

type SiteWriteName = PlannedWriteName | "setAdminToken" | "importSettings" | "undoImport";

/** The writes that are planned by the sites there are; see there. */
export const SITE_WRITES: {
  readonly [W in SiteWriteName]: (
    place: SitesPlace,
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
  setAdminToken: (place, { hash, kept }) =>
    changeSites(place, ({ adminHash }) => {
      const sessions = { kind: { name: SESSION }, put: [], remove: [], keepOnly: kept };
      const documents = [adminChange(hash), ...(adminHash === null ? [] : [sessions])];
      return { change: { documents }, result: undefined };
    }),
  importSettings: (place, { sites, documents }) =>
    changeSites(place, async (directory) => {
      const { before, change } = importSites(directory, sites);
      const back = await Promise.all(documents.map((each) => wayBack(place, each)));
      return {
        change: { ...change, documents: [...change.documents, ...documents] },
        result: { documents: back, sites: before },
      };
    }),
  undoImport: (place, { sites, documents }) =>
    changeSites(place, async (directory) => {
      const counting = new Set(await place.counting(addedBy(sites, directory)));
      const { stay, change } = undoImportOfSites(directory, sites, counting);
      return {
        change: { ...change, documents: [...change.documents, ...documents] },
        result: stay,
      };
    }),
};

type SiteWriteRequest = {
  readonly name: SiteWriteName;
  readonly input: unknown;
};

export function isSiteWrite(request: {
  readonly name: WriteName;
  readonly input: unknown;
}): request is SiteWriteRequest {
  return Object.hasOwn(SITE_WRITES, request.name);
}

/**
 * Has an engine make a write that is planned by the sites there are. Not two at the same time: each would be in the
 * other's way.
 */
export async function writeSites(
  { name, input }: SiteWriteRequest,
  place: Omit<SitesPlace, "change">,
  send: (request: EngineRequest & { kind: "write" }) => Promise<EngineAnswer>,
): Promise<EngineAnswer> {
  let answer: EngineAnswer = DONE;
  const change = async (wanted: Change): Promise<boolean> => {
    answer = await send({ kind: "write", name: "change", input: wanted });
    if (!answer.ok) throw new Error(answer.message);
    return answer.result === true;
  };
  const write = SITE_WRITES[name] as (place: SitesPlace, input: unknown) => Promise<unknown>;
  try {
    const result = await write({ ...place, change }, input);
    return { ...answer, result };
  } catch (error) {
    if (!answer.ok) return answer;
    const refused = error instanceof Refusal && { refused: error.code };
    return { ...notDone(messageOf(error)), ...refused };
  }
}

function planned<W extends PlannedWriteName>(name: W) {
  return (place: SitesPlace, input: WriteInput<W>) =>
    changeSites(place, (directory) => SITE_PLANS[name](directory, input));
}

/** The admin token is another one, or, where its hash is null, there is none. */
export function adminChange(hash: Uint8Array | null): DocumentsChange {
  if (hash === null) return documentsChange(ADMIN_TOKEN, { remove: [ONLY] });
  const body = { hash: Buffer.from(hash).toString("hex") };
  return documentsChange(ADMIN_TOKEN, { put: [{ id: ONLY, body }] });
}

/** The change that restores the present documents after another change. */
async function wayBack(
  place: SitesPlace,
  { kind, put, remove }: DocumentsChange,
): Promise<DocumentsChange> {
  const ids = new Set([...put.flatMap(({ id }) => id ?? []), ...remove]);
  const known = (await place.documents(kind.name)).filter(({ id }) => ids.has(id));
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
  place: SitesPlace,
  declared: readonly DeclaredSite[],
): Promise<string[]> {
  return changeSites(place, (directory) => {
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
  now(): Soon<number>;
}

/**
 * Sets the zone of days.
 * @returns sentences for the owner
 */
export async function nameZone(
  place: SitesPlace,
  { zone, isShared = false, now }: NamedZone,
): Promise<string[]> {
  if (zone === undefined) return [];
  return changeSites(place, async (directory) => {
    const planned = isShared ? planFleetZone : planZone;
    const { change, sentences } = planned(directory, zone, await now());
    return { change, result: [...sentences] };
  });
}
