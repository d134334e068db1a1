import { Refusal } from "../base/refusal.ts";

/** Reads of the first lane go first: the box's own, those of clients with a token, all others. */
const LANES = ["box", "owner", "public"] as const;
export type Lane = (typeof LANES)[number];

/** So many reads of a lane wait at most; one more is refused. */
export const MAX_WAITING_READS = 64;

/** The lane of a read, and whether its answer is still wanted. */
export interface Asker {
  readonly lane: Lane;
  /** True once the client has left. */
  readonly gone?: () => boolean;
}

const REFUSALS: Readonly<Record<"away" | "busy" | "failed" | "replaced" | "gone", () => Refusal>> =
  {
    away: () =>
      new Refusal("storage_unavailable", "The database cannot be asked. Try again in a minute."),
    busy: () =>
      new Refusal(
        "reads_busy",
        "More is asked of this box than it can answer now. Try again in a few seconds.",
      ),
    failed: () =>
      new Refusal(
        "read_failed",
        "This could not be read. Ask for fewer days; if that fails too, look at the service's log.",
      ),
    replaced: () =>
      new Refusal("storage_unavailable", "The data is being replaced. Try again in a minute."),
    gone: () => new Refusal("asker_left", "Who asked for this has left."),
  };

/** Why nothing was read; the message is for the client. */
export function readRefused(reason: keyof typeof REFUSALS): Refusal {
  return REFUSALS[reason]();
}

/** The question ended the reader: another one answers what else is asked. */
export class ReaderEnded extends Refusal {
  constructor() {
    const { code, message } = readRefused("failed");
    super(code, message);
  }
}

interface Waiting {
  readonly gone: () => boolean;
  readonly go: () => void;
  readonly refuse: (error: Refusal) => void;
}

/** Lets reads run one at a time, so that the next one is chosen when it can run and not before. */
export class ReadQueue {
  readonly #waiting: Record<Lane, Waiting[]> = { box: [], owner: [], public: [] };
  #running = false;

  /** @throws {Refusal} `reads_busy`, and whatever `read` throws */
  async run<T>(asker: Asker, read: () => Promise<T>): Promise<T> {
    await this.#turn(asker);
    try {
      return await read();
    } finally {
      this.#next();
    }
  }

  async #turn({ lane, gone = () => false }: Asker): Promise<void> {
    if (!this.#running) {
      this.#running = true;
      return;
    }
    if (this.#waiting[lane].length >= MAX_WAITING_READS) this.#dropGone(lane);
    if (this.#waiting[lane].length >= MAX_WAITING_READS) throw readRefused("busy");
    await new Promise<void>((go, refuse) => this.#waiting[lane].push({ gone, go, refuse }));
  }

  #next(): void {
    for (const lane of LANES) {
      for (;;) {
        const next = this.#waiting[lane].shift();
        if (next === undefined) break;
        if (!next.gone()) {
          next.go();
          return;
        }
        next.refuse(readRefused("gone"));
      }
    }
    this.#running = false;
  }

  #dropGone(lane: Lane): void {
    const all = this.#waiting[lane];
    this.#waiting[lane] = all.filter(({ gone }) => !gone());
    for (const { gone, refuse } of all) if (gone()) refuse(readRefused("gone"));
  }
}
