import type { Clock } from "../clock.ts";

interface Closable {
  close(): unknown;
}

/** Has a part closed with the others. @returns the part */
export function closeWith<Part extends Closable>(ends: AsyncDisposableStack, part: Part): Part {
  return ends.adopt(part, async () => {
    await part.close();
  });
}

/** Closes all parts, in reverse. Rejects with the first error, after all are closed. */
export async function endAll(ends: AsyncDisposableStack): Promise<void> {
  try {
    await ends.disposeAsync();
  } catch (error) {
    let first = error;
    while (first instanceof SuppressedError) first = first.suppressed;
    throw first;
  }
}

/**
 * Opens parts that run together; where one of them does not open, those before it are closed. Closing
 * rejects as `endAll` does.
 */
export async function openedParts<Parts extends object>(
  open: (ends: AsyncDisposableStack) => Promise<Parts>,
): Promise<Parts & { close(): Promise<void> }> {
  const ends = new AsyncDisposableStack();
  try {
    return { ...(await open(ends)), close: () => endAll(ends) };
  } catch (error) {
    // The error of opening is the one to report.
    await ends.disposeAsync().catch(() => {});
    throw error;
  }
}

/** A signal that ends with another one, or after so many milliseconds. Its timer ends with the block that uses it. */
export function timeLimit(clock: Pick<Clock, "after">, ms: number, other?: AbortSignal) {
  const late = new AbortController();
  const cancel = clock.after(ms, () => late.abort());
  const signal = AbortSignal.any(other === undefined ? [late.signal] : [late.signal, other]);
  return { signal, [Symbol.dispose]: cancel };
}
