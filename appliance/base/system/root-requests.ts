import { rmSync } from "node:fs";
import { chmod, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { objectIn } from "../input/json.ts";
import { isThere, NEW, textOf } from "./files.ts";

/** The names of root's folders, one for each of its programs that the service tells or asks something. */
const FOLDERS = {
  /** Another name, zone or ssh key: see box/machine-settings. */
  machine: "tallydeck-machine",
  /** To restart or shut down: see control/routes/box/facts. */
  power: "tallydeck-power",
  /** A reset, or its end: see box/reset. */
  reset: "tallydeck-reset",
  /** Where a USB stick is mounted: see links/backups/targets/stick. The name of a mount's unit has no hyphens. */
  stick: "tallydeck_stick",
  /** Another tunnel: see box/tunnel. */
  tunnel: "tallydeck-tunnel",
  /** The updater: see links/updates/root. */
  update: "tallydeck-update",
  /** The state of the Wi-Fi, and requests of another: see box/wifi. */
  wifi: "tallydeck-wifi",
} as const;

export type RootFolders = Readonly<Record<keyof typeof FOLDERS, string>>;

/** @param folder the folder of them all, as `/run` */
export function rootFolders(folder: string): RootFolders {
  const entries = Object.entries(FOLDERS).map(([key, name]) => [key, join(folder, name)]);
  return Object.fromEntries(entries) as RootFolders;
}

/**
 * The way to one of root's programs: a folder of root's has the program's state in a file, and a subfolder that the
 * service may write to. Root watches that one for files, whose names are the requests.
 */
export class RootRequests {
  readonly #folder: string;

  /** @param folder root's, one of `rootFolders` */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The text of the program's state; undefined before there is one. */
  get stateText(): string | undefined {
    return textOf(join(this.#folder, "state.json"));
  }

  /** The program's state; undefined before there is one, and for one that is no JSON object. */
  state<T extends object>(text = this.stateText): T | undefined {
    return objectIn<T>(text);
  }

  /** Whether root has not taken a request yet. */
  isPending(request: string): boolean {
    return isThere(this.#file(request));
  }

  /**
   * Requests something; a request of the same name that root has not taken yet is replaced.
   * @throws {Error} where root's folder is not there
   */
  async ask(request: string, content = ""): Promise<void> {
    const file = this.#file(request);
    await writeFile(file + NEW, content);
    // Root reads it by the rights of the group, since its units have no others.
    await chmod(file + NEW, 0o640);
    await rename(file + NEW, file);
  }

  /** Takes a request back, where root has not taken it yet. */
  withdraw(request: string): void {
    rmSync(this.#file(request), { force: true });
  }

  #file(request: string): string {
    return join(this.#folder, "asked", request);
  }
}
