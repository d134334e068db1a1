/** Ends a subscription or stops a timer; calling it again does nothing. */
export type Cancel = () => void;

/** A signal without the right to emit. */
export type Listenable<T = void> = Pick<Signal<T>, "on">;

/** An event with any number of listeners. */
export class Signal<T = void> {
  readonly #subscriptions = new Set<(told: T) => void>();

  /** Calls `listener` at each event, until it is cancelled. */
  on(listener: (told: T) => void): Cancel {
    const subscription = (told: T) => listener(told);
    this.#subscriptions.add(subscription);
    return () => void this.#subscriptions.delete(subscription);
  }

  /** Calls all listeners. @throws the first error of a listener, after all were called */
  emit(told: T): void {
    const failures: unknown[] = [];
    for (const subscription of [...this.#subscriptions]) {
      // An earlier listener may have ended the subscription.
      if (!this.#subscriptions.has(subscription)) continue;
      try {
        subscription(told);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
