import { chmod, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject } from "../base/input/json.ts";
import { isThere, NEW, textOf } from "../base/system/files.ts";
import {
  ASKED_MACHINE,
  MACHINE_STATE,
  type MachineChange,
  type MachineSettings,
} from "./ipc/machine.ts";

/**
 * The machine's own settings, which root changes: the service requests that by a file in a folder that root watches, and
 * reads the state in another file.
 */
export class MachineSwitch {
  readonly #folder: string;

  /** @param folder root's folder, with a subfolder `asked` that the service may write to */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Undefined before root has told them. */
  get settings(): MachineSettings | undefined {
    try {
      const read: unknown = JSON.parse(textOf(join(this.#folder, MACHINE_STATE)) ?? "");
      return isObject(read) ? (read as unknown as MachineSettings) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Whether a requested change is not made yet. */
  get isPending(): boolean {
    return isThere(this.#asked);
  }

  /** @throws {Error} where root's folder is not there */
  async change(change: MachineChange): Promise<void> {
    await writeFile(this.#asked + NEW, JSON.stringify(change));
    // Root reads it by the rights of the group, since its unit has no others.
    await chmod(this.#asked + NEW, 0o640);
    await rename(this.#asked + NEW, this.#asked);
  }

  /** Requests another name for the machine, where it is not called so. @throws {Error} where root's folder is not there */
  async takeName(hostname: string): Promise<void> {
    const { settings } = this;
    if (settings !== undefined && settings.hostname.toLowerCase() !== hostname)
      await this.change({ hostname });
  }

  get #asked(): string {
    return join(this.#folder, "asked", ASKED_MACHINE);
  }
}
