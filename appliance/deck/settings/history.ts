import type { Clock } from "../../base/clock.ts";
import { Refusal } from "../../base/refusal.ts";
import type { Undoable } from "../deck-view.ts";

/** Something an owner changed, and how to take it back. */
export interface ChangeStep {
  /** The step as a sentence without its stop: `Key 3 of Desk changed`. */
  readonly what: string;
  /** Steps about the same that follow each other quickly are one; undefined for one by itself. */
  readonly about?: string | undefined;
  /** @returns a sentence about parts that could not be undone; empty where there are none */
  undo(): Promise<string>;
  redo(): Promise<void>;
}

const MAX_STEPS = 20;
/** A slider that is drawn, a text that is typed. */
const TOGETHER_MS = 5_000;

/** The last changes an owner made, in memory: a restart forgets them. */
export class History {
  readonly #clock: Pick<Clock, "monotonic">;
  #done: ChangeStep[] = [];
  #undone: ChangeStep[] = [];
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  get undoable(): Undoable {
    return {
      canUndo: this.#done.at(-1)?.what ?? null,
      canRedo: this.#undone.at(-1)?.what ?? null,
    };
  }

  add(step: ChangeStep): void {
    const now = this.#clock.monotonic();
    const last = this.#done.at(-1);
    const isOn =
      step.about !== undefined &&
      last?.about === step.about &&
      this.#undone.length === 0 &&
      now - this.#lastAt <= TOGETHER_MS;
    if (isOn) this.#done.pop();
    this.#done.push(isOn ? { ...step, undo: last.undo } : step);
    this.#done = this.#done.slice(-MAX_STEPS);
    this.#undone = [];
    this.#lastAt = now;
  }

  /**
   * Undoes the last change.
   * @returns a sentence or two about it
   * @throws {Refusal} `nothing_to_undo`, or the error of the step, which then stays the last one
   */
  async undo(): Promise<string> {
    const step = this.#done.at(-1);
    if (step === undefined)
      throw new Refusal(
        "nothing_to_undo",
        `There is nothing to undo: the machine remembers the last ${MAX_STEPS} changes since it started.`,
      );
    const rest = await step.undo();
    this.#done.pop();
    this.#undone.push(step);
    return [`Undone: ${step.what}.`, rest].join(" ").trim();
  }

  /** The same with the last that was undone. @throws {Refusal} `nothing_to_redo`, and as above */
  async redo(): Promise<string> {
    const step = this.#undone.at(-1);
    if (step === undefined)
      throw new Refusal(
        "nothing_to_redo",
        "There is nothing to do again: nothing was undone, or something was changed since.",
      );
    await step.redo();
    this.#undone.pop();
    this.#done.push(step);
    // The next change must not be merged with this step.
    this.#lastAt = Number.NEGATIVE_INFINITY;
    return `Done again: ${step.what}.`;
  }

  clear(): void {
    this.#done = [];
    this.#undone = [];
  }
}
