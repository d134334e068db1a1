type Close = () => unknown;

/** The closing of all parts, in reverse order of opening. */
export class Closing {
  readonly #all: Close[] = [];

  /** To be called before anything is opened that ends with it. */
  add(...all: Close[]): void {
    this.#all.push(...all);
  }

  /** Closes all. Rejects with the first error, after all are closed. */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#all.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        // The others that still run must not be left behind: the process would not end.
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}

/** Opens parts that run together; where one of them does not open, those before it are closed. */
export async function openedParts<Parts extends object>(
  open: (closing: Closing) => Promise<Parts>,
): Promise<Parts & { close(): Promise<void> }> {
  const closing = new Closing();
  try {
    return { ...(await open(closing)), close: () => closing.close() };
  } catch (error) {
    // The error of opening is the one to report.
    await closing.close().catch(() => {});
    throw error;
  }
}
