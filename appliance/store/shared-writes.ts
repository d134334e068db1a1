import { isSameHash } from "../base/system/secrets.ts";
import { Mutex } from "../base/tasks/mutex.ts";
import type { Writer } from "./engines.ts";
import { type Directory, EMPTY_DIRECTORY, type SiteRecord } from "./sites/directory.ts";
import type { BeforeImport, SharedWriteName, WriteInput, WriteResult } from "./writes.ts";

interface Both {
  fleet: Writer<SharedWriteName>;
  local: Writer<SharedWriteName>;
  token: FleetAdminToken;
  /** The fleet's sites. */
  sites: () => readonly SiteRecord[];
}

/** Makes changes of a fleet and of a box beside it: of both, or of neither. */
export function writerToBoth({ fleet, local, token, sites: known }: Both): Writer<SharedWriteName> {
  const mutex = new Mutex();

  /** Imports sites; without any, the database of the fleet is not needed. */
  async function importSites(sites: WriteInput<"importSettings">["sites"]) {
    if (sites.length === 0) return [];
    return (await fleet("importSettings", { sites, documents: [] })).sites;
  }

  async function undoSites(sites: BeforeImport["sites"]): Promise<string[]> {
    return sites.length === 0 ? [] : fleet("undoImport", { sites, documents: [] });
  }

  const writes: {
    readonly [W in SharedWriteName]: (input: WriteInput<W>) => Promise<WriteResult<W>>;
  } = {
    setAdminToken: (input) => token.set(input),
    async importSettings({ sites, documents }) {
      const before = await importSites(sites);
      try {
        return { ...(await local("importSettings", { sites: [], documents })), sites: before };
      } catch (error) {
        await undoSites(before);
        throw error;
      }
    },
    async undoImport({ sites, documents }) {
      const imported = known().filter(({ id }) => sites.some((site) => site.id === id));
      const stay = await undoSites(sites);
      try {
        await local("undoImport", { sites: [], documents });
        return stay;
      } catch (error) {
        await importSites(imported);
        throw error;
      }
    },
  };
  return (name, input) => mutex.runExclusive(() => writes[name](input));
}

type Hash = Directory["adminHash"];

interface FleetAdminTokenOptions {
  fleet: Writer<"setAdminToken">;
  local: Writer<"setAdminToken">;
  /** Called with the sites and tokens of the fleet; before they are known, with this token alone. */
  tell: (directory: Directory) => void;
}

/**
 * The admin token of a fleet. The box keeps its hash, so that the owner can sign in while the fleet's database is
 * away, and so that a change elsewhere, even while the box is off, signs out sessions of the old token.
 */
export class FleetAdminToken {
  readonly #options: FleetAdminTokenOptions;
  readonly #hearing = new Mutex();
  /** The box's hash of the token. */
  #kept: Hash = null;
  /** The fleet's hash of the token; undefined before it was read. */
  #hash: Hash | undefined;
  /** The session that stays when it changes. */
  #session: string | null = null;

  constructor(options: FleetAdminTokenOptions) {
    this.#options = options;
  }

  /** The box was opened, its file replaced, or its token changed. */
  hearBox({ adminHash }: Directory): void {
    this.#kept = adminHash;
    if (this.#hash === undefined) this.#options.tell({ ...EMPTY_DIRECTORY, adminHash });
  }

  /** Passes the fleet's directories on, in order, each once the box has its token. */
  hearFleet(directory: Directory): Promise<void> {
    return this.#hearing.runExclusive(async () => {
      this.#hash = directory.adminHash;
      await this.keep();
      this.#options.tell(directory);
    });
  }

  /** Has the box keep it, unless that can store nothing now. */
  async keep(): Promise<void> {
    if (this.#hash !== undefined) await this.#copy(this.#hash).catch(() => {});
  }

  /** Makes it another one; it stays as it is where one of both cannot store that. */
  async set({ hash, kept }: WriteInput<"setAdminToken">): Promise<void> {
    const { fleet } = this.#options;
    const before = this.#hash ?? null;
    this.#session = kept;
    try {
      await fleet("setAdminToken", { hash, kept });
      await this.#copy(hash).catch(async (error) => {
        await fleet("setAdminToken", { hash: before, kept });
        throw error;
      });
    } finally {
      this.#session = null;
    }
  }

  async #copy(hash: Hash): Promise<void> {
    if (isSameHash(this.#kept, hash)) return;
    await this.#options.local("setAdminToken", { hash, kept: this.#session });
  }
}
