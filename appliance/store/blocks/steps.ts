/** Part of a work that may have to wait. */
export type Step = () => Promise<void>;

/** Does a work of which nothing has to wait: what it reads is there. */
export function atOnce<T>(work: Generator<Step, T>): T {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}

/** Does a work step by step. */
export async function inSteps<T>(work: Generator<Step, T>): Promise<T> {
  let step = work.next();
  while (step.done !== true) {
    await step.value();
    step = work.next();
  }
  return step.value;
}
