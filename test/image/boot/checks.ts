/** Named checks, one after the other, each with its time; the count of what failed at the end. */
export class Checks {
  passed = 0;
  failed = 0;

  /** Runs one check; a failure is told and the rest goes on. */
  async check(name: string, run: () => Promise<void>): Promise<boolean> {
    const began = performance.now();
    try {
      await run();
      this.passed += 1;
      console.log(`ok    ${name} (${seconds(began)} s)`);
      return true;
    } catch (error) {
      this.failed += 1;
      console.log(
        `FAIL  ${name} (${seconds(began)} s)\n      ${String(error).replaceAll("\n", "\n      ")}`,
      );
      return false;
    }
  }

  /** The closing line, and the exit code. */
  close(): number {
    console.log(`${this.passed} passed, ${this.failed} failed`);
    return this.failed === 0 ? 0 : 1;
  }
}

function seconds(began: number): string {
  return ((performance.now() - began) / 1_000).toFixed(1);
}
