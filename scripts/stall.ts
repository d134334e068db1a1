import { readFileSync } from "node:fs";

/** The unit of processor time in /proc: USER_HZ is 100 on every Linux that Node runs on. */
export const TICKS_A_SECOND = 100;

/**
 * The fields of /proc/PID/stat from the third one on, the state: the name before it may contain spaces. The fourth is
 * the parent, and the 14th to 17th are utime, stime, cutime and cstime.
 * @throws {Error} when there is no such process
 */
export function statOf(pid: number | string): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** The processor time of a process, in ms. */
export function processorMs(stat: readonly string[]): number {
  return ((Number(stat[11]) + Number(stat[12])) * 1_000) / TICKS_A_SECOND;
}

/** The times after which silence counts as hanging. */
interface Patience {
  /** s that it uses hardly any processor time meanwhile. */
  readonly stillS: number;
  /** s of processor time that it uses meanwhile. */
  readonly spinsS: number;
}

/** The state at one moment. */
interface Look {
  /** s */
  readonly at: number;
  /** The bytes of output so far. */
  readonly said: number;
  /** Processor time that it has used so far: s. */
  readonly usedS: number;
}

/** The share of one processor below which a machine only waits; one that gets little of a busy host uses more. */
const HARDLY = 0.1;

/** Detects a program that hangs, by its output and processor time. */
export class StallWatch {
  readonly #patience: Patience;
  /** The last look with new output. */
  #spoke: Look | undefined;
  /** The beginning of the time in which it uses hardly anything. */
  #rested: Look | undefined;

  constructor(patience: Patience) {
    this.#patience = patience;
  }

  /** @param look later than all before @returns how it hangs; undefined while it moves on */
  see(look: Look): string | undefined {
    if (this.#spoke === undefined || look.said !== this.#spoke.said) this.#spoke = look;
    const since = this.#rested;
    const isBusy = since !== undefined && look.usedS - since.usedS > HARDLY * this.#patience.stillS;
    if (since === undefined || isBusy || since.said !== look.said) this.#rested = look;
    const used = look.usedS - this.#spoke.usedS;
    if (used >= this.#patience.spinsS)
      return `it has used ${Math.round(used)} s of processor time and said nothing new`;
    const still = look.at - (this.#rested?.at ?? look.at);
    return still >= this.#patience.stillS
      ? `it has stood still for ${Math.round(still)} s and said nothing new`
      : undefined;
  }
}
