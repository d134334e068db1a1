import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { Card } from "./card.ts";
import { firmwareTurn } from "./firmware.ts";
import { type End, Machine, type MachineOptions } from "./machine.ts";

/** The most failed starts before the test gives up. */
const MOST_TURNS = 4;

/**
 * A board with a card: its firmware, which starts what config.txt names, or once what tryboot.txt does,
 * and whoever pulls the plug where nothing comes of that.
 */
export class Pi {
  readonly card: Card;
  /** Whether a jumper is on pins 5 and 6. */
  isJumpered = false;
  /** The flag as it is read back; undefined without an answer. */
  readback: string | undefined = "1";
  /** The number of times that its system armed it. */
  armings = 0;
  /** The outcomes of starts, in order: the file of the firmware, or the reason of a failure. */
  readonly turns: string[] = [];
  #isArmed = false;
  #machine: Machine | undefined;

  constructor(card: Card) {
    this.card = card;
  }

  /** Drops the flag, as a power cut does. */
  forget(): void {
    this.#isArmed = false;
  }

  /** Sets the flag, as a foreign program may before it resets the board. */
  armByStranger(): void {
    this.#isArmed = true;
  }

  /** Gives it power. */
  plugIn(options: MachineOptions = {}): Promise<Machine> {
    this.forget();
    return this.#start(options);
  }

  /** Waits until the machine ends by itself, for which it has some time. */
  async ended(machine: Machine, deadlineMs: number): Promise<End> {
    const end = await endOf(machine, deadlineMs);
    // The flag is in a register that a reset keeps and a power cut does not.
    if (end !== "reset") this.#isArmed = false;
    return end;
  }

  /** Starts the machine after a reset. */
  goOn(options: MachineOptions): Promise<Machine> {
    return this.#start(options);
  }

  /** Pulls the plug, of whatever runs on it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#machine?.cutPower();
  }

  /** Another board in the same state, with a copy of the card. */
  copy(folder: string): Pi {
    const pi = new Pi(new Card(this.card.file, folder));
    pi.#isArmed = this.#isArmed;
    return pi;
  }

  async #start(options: MachineOptions): Promise<Machine> {
    for (let count = 0; count < MOST_TURNS; count++) {
      const isTrial = this.#isArmed;
      this.#isArmed = false;
      const { isJumpered } = this;
      const { boot } = this.card;
      const turn = firmwareTurn(boot, options.hardware ?? "virt", { isTrial, isJumpered });
      this.turns.push(turn.type === "starts" ? turn.config : `${turn.type}: ${turn.reason}`);
      if (turn.type !== "starts") continue;
      const given = { ...options, files: turn.files };
      // The machine that is most like a board has no such port.
      if (options.hardware === "raspi3b") {
        this.#machine = await Machine.start(this.card, given);
      } else {
        const armSocket = join(this.card.folder, "arm.sock");
        this.#machine = await Machine.start(this.card, { ...given, armSocket });
        this.#listen(await connected(armSocket));
      }
      return this.#machine;
    }
    throw new Error(`the board starts nothing: ${this.turns.slice(-MOST_TURNS).join("; ")}`);
  }

  #listen(port: Socket): void {
    port.on("error", () => {});
    const lines = createInterface(port).on("error", () => {});
    lines.on("line", (line) => {
      if (line.trim() !== "tryboot") return;
      this.armings += 1;
      this.#isArmed = this.readback === "1";
      if (this.readback !== undefined) port.write(`${this.readback}\n`);
    });
  }
}

async function endOf(machine: Machine, deadlineMs: number): Promise<End> {
  const tooLate = new AbortController();
  const end = await Promise.race([
    machine.end,
    pause(deadlineMs, "late" as const, { signal: tooLate.signal }),
  ]);
  tooLate.abort();
  if (end === "late") throw new Error(`it runs on after ${deadlineMs / 1_000} s; see console.log`);
  machine.shell.close();
  return end;
}

async function connected(path: string): Promise<Socket> {
  const socket = connect(path);
  await once(socket, "connect");
  return socket;
}
