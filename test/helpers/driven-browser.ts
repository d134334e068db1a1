import { rmSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/** One device's part of a sequence of actions, as both of W3C's protocols have it. */
export type ActionSource = { id: string } & (
  | { type: "pointer"; actions: object[] }
  | { type: "key"; actions: object[] }
);

/** A browser without Playwright: what WebDriver and WebDriver BiDi can both do, in one window. */
export interface DrivenBrowser {
  readonly name: string;
  /** Takes out what the page's console has said of errors and warnings since its address was opened. */
  troubles(): Promise<string[]>;
  /** Opens an address and resolves once it is loaded. */
  go(url: string): Promise<void>;
  /** @returns what an expression is on the page, where that can be told in JSON */
  evaluate(expression: string): Promise<unknown>;
  perform(sources: ActionSource[]): Promise<void>;
  /** Sets the size of the window in pixels. */
  resize(width: number, height: number): Promise<void>;
  end(): Promise<void>;
}

/** A busy machine is slow; still less than a test's own limit, for this tells what was waited for. */
const PATIENCE_MS = 60_000;
const LOOK_MS = 100;

/**
 * Asks a page until it has an answer.
 * @throws {Error} when there is none in a minute, with what the page says instead
 */
export async function untilTold<T = unknown>(
  browser: DrivenBrowser,
  expression: string,
): Promise<T> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = (await browser.evaluate(expression)) as T | null | undefined | false;
    if (found !== null && found !== undefined && found !== false) return found;
    if (Date.now() > until)
      throw new Error(
        `${browser.name} waits in vain for ${expression}.\n${await browser.troubles()}\n${await browser.evaluate("document.body.innerText")}`,
      );
    await setTimeout(LOOK_MS);
  }
}

/**
 * Ends a process group that was started detached, and removes the folder it wrote to.
 * @returns what does so, once; it is done with this process at the latest
 */
export function endedWithUs(pid: number | undefined, folder?: string): () => void {
  const end = () => {
    process.removeListener("exit", end);
    try {
      if (pid !== undefined) process.kill(-pid, "SIGKILL");
    } catch {
      // The process has ended by itself.
    }
    if (folder !== undefined)
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  };
  process.once("exit", end);
  return end;
}
