import type { Clock } from "../../../base/clock.ts";
import type { TargetProblem } from "./target.ts";

/** The time without any progress after which a target is too slow. */
const STALLED_MS = 120_000;

/** Watches that work goes on. */
export class Patience {
  /** Aborted once it does not, or once the signal of the work is. */
  readonly signal: AbortSignal;
  readonly #clock: Pick<Clock, "after">;
  readonly #stop = new AbortController();
  #cancel: () => void = () => {};

  constructor(clock: Pick<Clock, "after">, signal: AbortSignal) {
    this.#clock = clock;
    this.signal = AbortSignal.any([signal, this.#stop.signal]);
    this.moved();
  }

  get isOver(): boolean {
    return this.#stop.signal.aborted;
  }

  moved(): void {
    this.#cancel();
    this.#cancel = this.#clock.after(STALLED_MS, () => this.#stop.abort());
  }

  /** Counts each chunk as progress. */
  async *watch(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.moved();
      yield chunk;
    }
  }

  end(): void {
    this.#cancel();
  }
}

/** @throws {TargetProblem} as soon as the signal is aborted, whatever becomes of the work */
export async function unlessStopped<T>(
  work: Promise<T>,
  signal: AbortSignal,
  problem: () => TargetProblem,
): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(problem());
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, stopped.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
