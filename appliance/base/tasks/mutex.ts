/** Runs tasks one after the other, so that a check at the start of a task holds until its end. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `task` after all before it, however they ended. */
  runExclusive<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(task);
    this.#last = turn.catch(() => {});
    return turn;
  }
}
