import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Servers, services and the like. */
interface Closable {
  close(): Promise<unknown>;
}

/** The folders, servers and services of a part, which are removed and closed with the stage. */
export class Stage {
  readonly #ends: (() => unknown)[] = [];

  /** An empty folder. */
  folder(): string {
    const folder = mkdtempSync(join(tmpdir(), "tallydeck-run-"));
    this.onClose(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  }

  /** Waits for a start, and closes the result with the stage. */
  async add<T extends Closable>(starting: Promise<T> | T): Promise<T> {
    const started = await starting;
    this.onClose(() => started.close());
    return started;
  }

  onClose(end: () => unknown): void {
    this.#ends.push(end);
  }

  /** A smaller stage upon this one, closed as soon as `use` has ended. */
  async within<T>(use: (stage: Stage) => Promise<T>): Promise<T> {
    const inner = new Stage();
    this.onClose(() => inner.close());
    try {
      return await use(inner);
    } finally {
      await inner.close();
    }
  }

  /** Ends everything, the newest first. @throws what an end threw, once all have had their turn */
  async close(): Promise<void> {
    const end = this.#ends.pop();
    if (end === undefined) return;
    try {
      await end();
    } finally {
      await this.close();
    }
  }
}
