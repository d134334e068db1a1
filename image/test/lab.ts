import { type ExecFileOptions, execFile, execFileSync } from "node:child_process";
import { promisify } from "node:util";

/** Blocks that no network uses: for benchmarks (RFC 2544) and for documentation (RFC 5737). */
export const STRANGERS = "198.18.0.0/15";
export const VISITORS = "203.0.113.0/24";
const HERE = "192.168.77.1";
const BOX = "192.168.77.2";

/**
 * A network namespace with a cable to a box and thousands of addresses of its own. Nothing that is
 * sent in it leaves it.
 */
export class Lab {
  readonly name = `tallydeck-${process.pid}`;
  /** The network card's end of the cable, for QEMU. */
  readonly tap = "tap0";
  readonly box = BOX;

  /** Needs root. */
  constructor() {
    ip("netns", "add", this.name);
    process.once("exit", this.#remove);
    this.#ip("link", "set", "lo", "up");
    this.#ip("tuntap", "add", this.tap, "mode", "tap");
    this.#ip("address", "add", `${HERE}/24`, "dev", this.tap);
    this.#ip("link", "set", this.tap, "up");
    // Every address of a block is one of ours: who binds to it is heard from there.
    for (const block of [STRANGERS, VISITORS])
      this.#ip("route", "add", "local", block, "dev", "lo");
  }

  /** A command line that runs a program in here. */
  inside(program: string, ...args: readonly string[]): [program: string, args: string[]] {
    return ["ip", ["netns", "exec", this.name, program, ...args]];
  }

  /** Runs a program in here, and gives what it said. Rejects when it fails. */
  async run(
    options: ExecFileOptions,
    program: string,
    ...args: readonly string[]
  ): Promise<string> {
    const { stdout } = await promisify(execFile)(...this.inside(program, ...args), options);
    return String(stdout);
  }

  /** The settings of the box for this network, for systemd-networkd. */
  get network(): string {
    return `[Match]\nName=eth0\n[Network]\nAddress=${BOX}/24\nGateway=${HERE}\n`;
  }

  remove(): void {
    process.off("exit", this.#remove);
    this.#remove();
  }

  readonly #remove = () => ip("netns", "delete", this.name);

  #ip(...args: readonly string[]): void {
    ip("-n", this.name, ...args);
  }
}

function ip(...args: readonly string[]): void {
  execFileSync("ip", args, { stdio: ["ignore", "ignore", "pipe"] });
}
