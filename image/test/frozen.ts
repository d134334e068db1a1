import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Box } from "./box.ts";
import { Card } from "./card.ts";
import type { MachineOptions } from "./machine.ts";
import { Pi } from "./pi.ts";

/** A running box that was put by with its card: what takes minutes to come to is gone on from in seconds. */
export class Frozen {
  /** Its card, at that moment. */
  readonly card: string;
  readonly #memory: string;
  readonly #cookie: string | undefined;

  private constructor(folder: string, cookie: string | undefined) {
    this.card = join(folder, "card.img");
    this.#memory = join(folder, "memory");
    this.#cookie = cookie;
  }

  /** Ends the machine, whose card was one with a cache from its start. */
  static async from(pi: Pi, box: Box, folder: string): Promise<Frozen> {
    mkdirSync(folder, { recursive: true });
    const frozen = new Frozen(folder, box.cookie);
    await box.machine.freeze(frozen.#memory);
    execFileSync("cp", ["--sparse=always", pi.card.file, frozen.card]);
    return frozen;
  }

  /** A board without power, with a copy of the card in a folder. */
  copy(folder: string): Pi {
    return new Pi(new Card(this.card, folder));
  }

  /** The box goes on, on a copy. */
  async resume(copy: Pi, options: MachineOptions = {}): Promise<Box> {
    const machine = await copy.plugIn({ ...options, hasCache: true, frozen: this.#memory });
    return new Box(machine, this.#cookie);
  }
}
