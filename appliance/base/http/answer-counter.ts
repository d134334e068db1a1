/** Counts answers since the start, by the first digit of their status. */
export class AnswerCounter {
  readonly #counts = [0, 0, 0, 0, 0, 0];

  readonly count = (status: number): void => {
    const digit = Math.floor(status / 100);
    this.#counts[digit] = (this.#counts[digit] ?? 0) + 1;
  };

  /** Numbers of answers by class, like `2xx`, those at zero included. */
  get classes(): readonly (readonly [name: string, count: number])[] {
    return [2, 3, 4, 5].map((digit) => [`${digit}xx`, this.#counts[digit] ?? 0]);
  }
}
