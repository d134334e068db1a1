import { NotJudged } from "./slow-guest.ts";

/** "Try again", as scripts/in-time has it. */
const UNFIT = 75;

/** Named checks, each with its time; the count of what failed at the end. */
export class Checks {
  passed = 0;
  failed = 0;
  notJudged = 0;

  /**
   * Runs one check; a failure is told and the rest goes on, as it does where one is `NotJudged`.
   * @param run may return what there is to tell beside the result
   */
  async check(name: string, run: () => Promise<unknown>): Promise<boolean> {
    const began = performance.now();
    const tell = (word: string, more: string) =>
      console.log(
        `${word.padEnd(5)} ${name} (${((performance.now() - began) / 1_000).toFixed(1)} s)${more && `\n${more}`.replaceAll("\n", "\n      ")}`,
      );
    try {
      const told = await run();
      this.passed += 1;
      tell("ok", typeof told === "string" ? told : "");
      return true;
    } catch (error) {
      if (error instanceof NotJudged) {
        this.notJudged += 1;
        tell("not judged", error.message);
      } else {
        this.failed += 1;
        tell("FAIL", String(error));
      }
      return false;
    }
  }

  /** The closing line, and the exit code: 75, "try again", where all that was judged passed. Where no check has ended it gives no numbers, which would look like a run of all. */
  close(): number {
    const { passed, failed, notJudged } = this;
    console.log(
      passed + failed + notJudged === 0
        ? "No check has ended."
        : `${passed} passed, ${failed} failed${notJudged > 0 ? `, ${notJudged} not judged` : ""}`,
    );
    if (failed > 0) return 1;
    return notJudged > 0 ? UNFIT : 0;
  }
}

/** Checks that need nothing of others: a machine and a card of their own. */
export interface Lane {
  readonly name: string;
  readonly run: () => Promise<unknown>;
}

/** Runs some lanes at a time, begun in their order. */
export async function sideBySide(lanes: readonly Lane[], atATime: number): Promise<void> {
  const rest = [...lanes];
  const runner = async () => {
    for (let lane = rest.shift(); lane !== undefined; lane = rest.shift()) await lane.run();
  };
  await Promise.all(Array.from({ length: atATime }, runner));
}
