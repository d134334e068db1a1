import { Turns } from "../base/turns.ts";
import { isSameHash } from "../system/secrets.ts";
import type { Writer } from "./engines.ts";
import { type Directory, EMPTY_DIRECTORY } from "./sites/directory.ts";
import type { WriteInput } from "./writes.ts";

type Hash = Directory["adminHash"];

interface FleetAdminTokenOptions {
  fleet: Writer<"setAdminToken">;
  box: Writer<"setAdminToken">;
  /** Told of the fleet's sites and tokens; before they are heard, of this token alone. */
  tell: (directory: Directory) => void;
}

/**
 * The admin token of a fleet, whose hash a box keeps: an owner who signed in while there was another
 * is signed out, be it changed elsewhere or while the box was off; and its owner can sign in while
 * the fleet's database is away.
 */
export class FleetAdminToken {
  readonly #options: FleetAdminTokenOptions;
  readonly #hearing = new Turns();
  /** As the box has it. */
  #kept: Hash = null;
  /** As the fleet has it; undefined before that was heard. */
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

  /** What the fleet tells is passed on in turn, once the box has its token. */
  hearFleet(directory: Directory): Promise<void> {
    return this.#hearing.take(async () => {
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
    await this.#options.box("setAdminToken", { hash, kept: this.#session });
  }
}
