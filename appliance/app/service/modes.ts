import type { Log } from "../../base/log.ts";
import { type Unusable, unusable } from "../../store/desk.ts";

export interface Mode {
  close(): Promise<void>;
}

interface ModesOptions<M extends Mode> {
  log: Pick<Log, "error" | "info">;
  /**
   * Starts the service; `onUnusable` is called when its data turns out to be damaged, `onReplaced` when all of it is another
   * machine's, and the service has to start anew.
   */
  service(onUnusable: (why: Unusable) => void, onReplaced: () => void): Promise<M>;
  /** Starts the rescue, which calls `onRepaired` when the data may be used again. */
  rescue(why: Unusable, onRepaired: () => void): Promise<M>;
}

interface Modes<M extends Mode> {
  readonly now: M;
  /** Closes the running mode for good. */
  close(): Promise<void>;
}

/**
 * Runs the service, or the rescue where its data cannot be used, and changes between them.
 * @throws any error of a start that the data did not cause
 */
export async function startModes<M extends Mode>(options: ModesOptions<M>): Promise<Modes<M>> {
  const { log } = options;
  let isOver = false;
  let change: Promise<void> = Promise.resolve();

  /** Runs once for each mode, since damage is reported many times. */
  const once = <A extends unknown[]>(act: (...given: A) => void) => {
    let isDone = false;
    return (...given: A) => {
      if (isDone) return;
      isDone = true;
      act(...given);
    };
  };
  const rescue = (why: Unusable) => {
    log.error({ reason: why.message }, "The data cannot be used: open the Web UI to repair it");
    return options.rescue(
      why,
      once(() => changeTo(service)),
    );
  };
  const service = async () => {
    // Damage that is met before the start is over: there is nothing to change from yet.
    const early: { why: Unusable | undefined } = { why: undefined };
    let isStarted = false;
    const onUnusable = once((why: Unusable) => {
      if (isStarted) changeTo(() => rescue(why));
      else early.why = why;
    });
    try {
      const mode = await options.service(
        onUnusable,
        once(() => changeTo(service)),
      );
      isStarted = true;
      if (early.why === undefined) return mode;
      await closed(mode);
    } catch (error) {
      early.why = unusable(error) ?? early.why;
      if (early.why === undefined) throw error;
    }
    return rescue(early.why);
  };
  const closed = (mode: M) =>
    mode.close().catch((error: unknown) => {
      log.error({ err: error }, "A part did not close as it should");
    });
  const changeTo = (start: () => Promise<M>) => {
    change = change.then(async () => {
      if (isOver) return;
      await closed(now);
      now = await start();
    });
    change.catch((error: unknown) => {
      // A service without a mode can only start again, as after the failure of a worker.
      setImmediate(() => {
        throw error;
      });
    });
  };

  let now = await service();
  return {
    get now() {
      return now;
    },
    async close() {
      isOver = true;
      await change;
      await now.close();
    },
  };
}
