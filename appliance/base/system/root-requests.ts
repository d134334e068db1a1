import { rmSync } from "node:fs";
import { chmod, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject } from "../input/json.ts";
import { isThere, NEW, textOf } from "./files.ts";

/**
 * The way to one of root's programs: a folder of root's has the program's state in a file, and a subfolder that the
 * service may write to. Root watches that one for files, whose names are the requests.
 */
export class RootRequests {
  readonly #folder: string;

  /** @param folder root's folder */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The text of the program's state; undefined before there is one. */
  get stateText(): string | undefined {
    return textOf(join(this.#folder, "state.json"));
  }

  /** The program's state; undefined before there is one, and for one that is no JSON object. */
  state<T extends object>(text = this.stateText): T | undefined {
    try {
      const read: unknown = JSON.parse(text ?? "");
      return isObject(read) ? (read as T) : undefined;
    } catch {
      return undefined;
    }
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
