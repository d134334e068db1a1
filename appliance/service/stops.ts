type Stop = () => unknown;

/** How everything that was begun is stopped: the last begun first. */
export class Stops {
  readonly #stops: Stop[] = [];

  /** To be told before that begins which is stopped by it. */
  add(...stops: Stop[]): void {
    this.#stops.push(...stops);
  }

  /** Stops all. Rejects with what went wrong first, once all are stopped. */
  async stop(): Promise<void> {
    const failures: unknown[] = [];
    for (const stop of this.#stops.splice(0).reverse()) {
      try {
        await stop();
      } catch (error) {
        // The others that still run must not be left behind: the process would not end.
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}

/** Begins parts that run together; where one of them does not start, those before it are stopped. */
export async function begun<Parts extends object>(
  begin: (stops: Stops) => Promise<Parts>,
): Promise<Parts & { stop(): Promise<void> }> {
  const stops = new Stops();
  try {
    return { ...(await begin(stops)), stop: () => stops.stop() };
  } catch (error) {
    // That it did not start is what there is to say.
    await stops.stop().catch(() => {});
    throw error;
  }
}
