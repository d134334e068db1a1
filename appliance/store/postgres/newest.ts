import type { Clock } from "../../base/clock.ts";

/** Others may answer so much later than the first one. */
const OTHERS_MS = 500;

/** A server that takes writes. */
export interface Server {
  /** Grows by one each time that a standby takes over; 0 where a server does not tell. */
  readonly timeline: number;
  /** Cuts the connection to it. */
  cut(): void;
}

/**
 * Of servers that were asked at once the one whose history is the newest: a former primary may be back, and
 * take writes that nobody else has. The others are cut.
 * @param least a timeline that was met before
 * @throws why the first of all did not do
 */
export async function newestOf<S extends Server>(
  asked: readonly Promise<S>[],
  least: number,
  clock: Pick<Clock, "after">,
): Promise<S> {
  const found: S[] = [];
  let failure: { readonly error: unknown } | undefined;
  let isOver = false;
  const { promise: late, resolve } = Promise.withResolvers<void>();
  let cancel = () => {};
  const all = asked.map(async (each) => {
    try {
      const server = await each;
      // Who answers later than the others is not waited for.
      if (isOver) server.cut();
      else if (found.push(server) === 1) cancel = clock.after(OTHERS_MS, resolve);
    } catch (error) {
      failure ??= { error };
    }
  });
  await Promise.race([Promise.all(all), late]);
  isOver = true;
  cancel();
  const newest = Math.max(least, ...found.map(({ timeline }) => timeline));
  const chosen = found.find(({ timeline }) => timeline === newest);
  for (const server of found) if (server !== chosen) server.cut();
  if (chosen !== undefined) return chosen;
  throw found.length > 0
    ? new Error(`a former primary: it lacks what was stored since timeline ${newest} began`)
    : failure?.error;
}
