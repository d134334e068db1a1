import { HOUR_MS } from "../../base/calendar.ts";
import type { Log } from "../../base/log.ts";
import { Refusal } from "../../base/refusal.ts";
import {
  type BoundedProgram,
  NICENESS,
  type RunProgram,
} from "../../base/system/bounded-process.ts";

/** Limit of the heap, in megabytes. Bytes outside of it are as many again. */
const HEAP_MB = 112;
/** Years of a busy site on a slow card take a part of it. */
const PATIENCE_MS = 6 * HOUR_MS;
const MAX_WORDS = 4_096;
/** Forty years of days have a tenth of it. */
const MAX_ANSWER = 4 * 1_048_576;

const TOO_LARGE =
  "This takes more memory than there is here. Run `tallydeck import` with it on a larger machine, and copy from there.";
const ENDED = "The work was ended by the system. Try again: it goes on where it was.";
const BROKEN = "Something went wrong on this machine while it worked on this. See its log.";

/** Is told the share of a command that is done, 0 to 1. */
type OnShare = (share: number) => void;

/** A flag, which is no other one whatever it holds. */
export type Flag = `--${string}`;

interface Given {
  readonly values?: readonly string[];
  readonly onShare?: OnShare;
}

/** A command of ours at work in a process of its own, so that hits and reads do not wait. */
export interface Work {
  /** Its output, in pieces. @throws {Refusal} where the command could not be done, with its sentence */
  read(): AsyncGenerator<Buffer>;
  kill(): void;
}

interface OwnProgramOptions {
  readonly log: Log;
  readonly main: string;
  readonly run: RunProgram;
  /** The settings of the service, as variables. */
  readonly env: () => Readonly<Record<string, string>>;
}

/** The program's own command line, for long work beside the service. One at a time: a board has memory for one. */
export class OwnProgram {
  readonly #options: OwnProgramOptions;
  #running: BoundedProgram | undefined;
  #isClosed = false;

  constructor(options: OwnProgramOptions) {
    this.#options = options;
  }

  /** @throws {Refusal} `exchange_busy`, `not_now` */
  start(
    command: "import" | "export",
    flags: readonly Flag[],
    { values = [], onShare = () => {} }: Given = {},
  ): Work {
    if (this.#isClosed) throw new Refusal("not_now", "The machine is about to restart.");
    if (this.#running !== undefined)
      throw new Refusal(
        "exchange_busy",
        "Another import or export is at work on this machine. Try again when it is done.",
      );
    const running = this.#options.run(this.#options.main, [command, ...flags], {
      values,
      env: this.#options.env(),
      heapMb: HEAP_MB,
      niceness: NICENESS,
      patienceMs: PATIENCE_MS,
    });
    this.#running = running;
    void running.ended.then(() => {
      this.#running = undefined;
    });
    return {
      read: () => this.#read(running, onShare),
      kill: () => running.kill(),
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const running = this.#running;
    running?.kill();
    await running?.ended;
  }

  async *#read(running: BoundedProgram, onShare: OnShare): AsyncGenerator<Buffer> {
    const words = wordsOf(running, onShare);
    try {
      try {
        for await (const chunk of running.out) yield chunk as Buffer;
      } catch (error) {
        // It was killed, which its end tells.
        if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
      }
      const { code, isTooLarge } = await running.ended;
      if (code === 0) return;
      const lines = await words;
      const said = lines.join(" ");
      const isStack = lines.some((line) => /^\s+at .*:\d+/.test(line));
      if (isStack) this.#options.log.error({ said }, "An import or export failed");
      throw new Refusal(
        "not_now",
        isTooLarge ? TOO_LARGE : code === null ? ENDED : isStack ? BROKEN : sentence(said),
      );
    } finally {
      running.kill();
      await running.ended;
    }
  }
}

/** All output of a command as JSON. @throws {Refusal} */
export async function answerOf(work: Work): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of work.read()) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_ANSWER)
      throw new Refusal("too_much", "This file has more days than there can be.");
  }
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

/** The lines that a command says, but for those that tell how far it is. */
async function wordsOf({ err }: BoundedProgram, onShare: OnShare): Promise<string[]> {
  const words: string[] = [];
  let kept = 0;
  let rest = "";
  const take = (line: string) => {
    const share = shareOf(line);
    if (share !== undefined) onShare(share);
    else if (line.trim() !== "" && kept < MAX_WORDS) {
      kept += line.length;
      words.push(line.slice(0, MAX_WORDS));
    }
  };
  err.setEncoding("utf8");
  try {
    for await (const text of err) {
      const lines = (rest + text).split("\n");
      rest = (lines.pop() ?? "").slice(0, MAX_WORDS);
      for (const line of lines) take(line);
    }
  } catch {
    // The process is gone, which its end tells.
  }
  take(rest);
  return words;
}

/** An import reads first, and writes then. */
function shareOf(line: string): number | undefined {
  const [, step, percent] = /^\{"step":"(\w+)","percent":(\d+)\}$/.exec(line) ?? [];
  if (percent === undefined) return undefined;
  return (step === "Writing" ? 0.5 : 0) + Number(percent) / 200;
}

/** A sentence of the command line, for the fields of a request. */
function sentence(said: string): string {
  return said
    .replace(/See `[^`]*--help`\.$/, "")
    .replaceAll(/--(from|to|replace|zone|host)\b/g, '"$1"')
    .trim();
}
