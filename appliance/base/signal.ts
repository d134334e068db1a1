/** Ends a subscription or stops a timer; calling it again does nothing. */
export type Cancel = () => void;

/** A signal for those who only hear it. */
export type Listenable<T = void> = Pick<Signal<T>, "on">;

/** Something that happens, for whoever wants to hear of it. */
export class Signal<T = void> {
  readonly #subscriptions = new Set<(told: T) => void>();

  /** Calls `listener` each time it happens, until it is let go. */
  on(listener: (told: T) => void): Cancel {
    const subscription = (told: T) => listener(told);
    this.#subscriptions.add(subscription);
    return () => void this.#subscriptions.delete(subscription);
  }

  /** Tells everybody who listens now. @throws what a listener threw first, once all have heard */
  emit(told: T): void {
    const failures: unknown[] = [];
    for (const subscription of [...this.#subscriptions]) {
      // One before may have let it go.
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
