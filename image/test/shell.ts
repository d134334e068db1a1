import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

interface ShellResult {
  readonly status: number;
  readonly text: string;
}

const BOOT_MS = 25 * 60_000;
const COMMAND_MS = 5 * 60_000;
/** The interval of looks at a silent machine. */
const LOOKS_MS = 3_000;

/** Connects to a socket of QEMU's, as often as it takes until it is there and `begin` has begun to speak. */
export async function spokenTo<T>(
  path: string,
  isRunning: () => boolean,
  begin: (socket: Socket) => T | Promise<T>,
): Promise<T> {
  for (;;) {
    const socket = connect(path);
    try {
      await once(socket, "connect");
      return await begin(socket);
    } catch (error) {
      if (!isRunning()) throw new Error("QEMU ended at once; see qemu.log", { cause: error });
      await pause(100);
    }
  }
}

/** A root shell in the machine, over a console of its own. */
export class Shell {
  readonly #socket: Socket;
  #heard = "";
  #turn: Promise<unknown> = Promise.resolve();
  #isOpen = false;
  #count = 0;
  /** Said so far: bytes. */
  heardBytes = 0;
  /** Tells how the machine hangs; undefined while it moves on. */
  hangs: () => Promise<string | undefined> = async () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      this.#heard += text;
      this.heardBytes += text.length;
      socket.emit("heard");
    });
    socket.on("error", () => {});
    // Waiting requests have to end without an answer.
    socket.on("close", () => socket.emit("heard"));
  }

  static open(path: string, isRunning: () => boolean): Promise<Shell> {
    return spokenTo(path, isRunning, (socket) => new Shell(socket));
  }

  /** Runs a command line and gives all it said. */
  run(command: string, deadlineMs = COMMAND_MS): Promise<ShellResult> {
    const result = this.#turn.then(() => this.#run(command, deadlineMs));
    this.#turn = result.catch(() => {});
    return result;
  }

  /** All that a command line said, though it may have failed. */
  readonly says = async (command: string): Promise<string> => (await this.run(command)).text;

  close(): void {
    this.#socket.destroy();
    this.#socket.emit("heard");
  }

  async #run(command: string, deadlineMs: number): Promise<ShellResult> {
    if (!this.#isOpen) await this.#wake();
    const mark = `done-${++this.#count}`;
    this.#heard = "";
    // The mark is put together there, so that the echo of the command is not taken for its end.
    this.#socket.write(`( ${command}\n) </dev/null 2>&1; printf '\\n<%s:%d>\\n' ${mark} $?\n`);
    const [, text = "", status] = await this.#hear(
      new RegExp(`^([\\s\\S]*?)\\n<${mark}:(\\d+)>`),
      deadlineMs,
      command,
    );
    return { status: Number(status), text: text.replaceAll("\r", "").trim() };
  }

  /** The shell comes up with the system; nobody says when. */
  async #wake(): Promise<void> {
    const deadline = performance.now() + BOOT_MS;
    while (!this.#isOpen) {
      this.#heard = "";
      this.#socket.write(
        "stty -echo; PS1= PS2=; export SYSTEMD_COLORS=0; bind 'set enable-bracketed-paste off'; printf '\\n<%s>\\n' awake\n",
      );
      this.#isOpen = await this.#hear(/<awake>/, 3_000, "wake").then(
        () => true,
        () => false,
      );
      if (this.#isOpen) break;
      await this.#expectMoving();
      if (this.#socket.destroyed) throw new Error("the machine is gone");
      if (performance.now() > deadline) throw new Error("no shell came up; see console.log");
    }
    await pause(500);
  }

  async #hear(pattern: RegExp, deadlineMs: number, what: string): Promise<RegExpExecArray> {
    const deadline = performance.now() + deadlineMs;
    for (;;) {
      const found = pattern.exec(this.#heard.replaceAll("\r", ""));
      if (found) return found;
      if (this.#socket.destroyed) throw new Error(`the machine went away during: ${what}`);
      const left = deadline - performance.now();
      if (left <= 0)
        throw new Error(
          `no end after ${deadlineMs / 1_000} s: ${what}\n${this.#heard.slice(-500)}`,
        );
      const signal = AbortSignal.timeout(Math.ceil(Math.min(left, LOOKS_MS)));
      const isSilent = await once(this.#socket, "heard", { signal }).then(
        () => false,
        () => true,
      );
      if (isSilent) await this.#expectMoving();
    }
  }

  async #expectMoving(): Promise<void> {
    const hangs = await this.hangs();
    if (hangs !== undefined) throw new Error(`the machine hangs: ${hangs}; see console.log`);
  }
}
