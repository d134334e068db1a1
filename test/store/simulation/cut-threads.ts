import { EventEmitter, once } from "node:events";
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Worker } from "node:worker_threads";
import type { EngineRequest } from "../../../appliance/store/engine.ts";
import type { Threads } from "../../../appliance/store/threads/threads.ts";
import { reusedThreads } from "../../helpers/threads.ts";
import type { Moment, Trouble } from "./store.ts";

const FILES = ["", "-wal"];
const FAILED = { ok: false, busy: false, message: "the disk is away" } as const;

/** The threads of a box whose power goes at a write, and whose disk may be slow or away. */
export class CutThreads implements Threads {
  trouble: Trouble | "none" = "none";
  readonly #file: string;
  readonly #below: (limit: number) => number;
  readonly #threads: Guarded[] = [];
  readonly #held: (() => void)[] = [];
  readonly #isCut = Promise.withResolvers<void>();
  #isOff = false;
  #onSettle: ((send: () => void) => void) | undefined;
  #cut: { left: number; readonly moment: Moment } | undefined;
  #torn: Uint8Array | undefined;

  constructor(file: string, below: (limit: number) => number) {
    this.#file = file;
    this.#below = below;
  }

  start(kind: Parameters<Threads["start"]>[0]): Worker {
    const thread = new Guarded(reusedThreads.start(kind), (request, send) =>
      this.#pass(thread, request, send),
    );
    thread.onAnswer = (answer) => this.#answer(answer, thread);
    this.#threads.push(thread);
    return thread as unknown as Worker;
  }

  end(thread: Worker): Promise<void> {
    return reusedThreads.end((thread as unknown as Guarded).real);
  }

  /** Power goes at the write after so many. @returns when it has gone */
  cutAt(writes: number, moment: Moment): Promise<void> {
    this.#cut = { left: writes, moment };
    return this.#isCut.promise;
  }

  /** The next settlement waits for what else is asked meanwhile. @returns lets it go on */
  holdSettlement(): { readonly isHeld: Promise<void>; readonly goOn: () => void } {
    const { promise: isHeld, resolve: held } = Promise.withResolvers<void>();
    const { promise, resolve: goOn } = Promise.withResolvers<void>();
    this.#onSettle = (send) => {
      held();
      void promise.then(send);
    };
    return { isHeld, goOn };
  }

  /** Answers what waited for it. */
  release(): void {
    this.trouble = "none";
    for (const answer of this.#held.splice(0)) answer();
  }

  /** Ends what runs, and leaves the file as it is on the disk. */
  async powerOff(): Promise<void> {
    this.#isOff = true;
    const copies = FILES.map((name) => `${this.#file}${name}`).filter((file) => existsSync(file));
    for (const file of copies) copyFileSync(file, `${file}.cut`);
    for (const thread of this.#threads) await thread.letGo();
    for (const name of [...FILES, "-shm"]) rmSync(`${this.#file}${name}`, { force: true });
    for (const file of copies) {
      copyFileSync(`${file}.cut`, file);
      rmSync(`${file}.cut`);
    }
    if (this.#torn !== undefined) writeFileSync(`${this.#file}-wal`, this.#torn);
  }

  #pass(thread: Guarded, request: { kind: string }, send: () => void): void {
    if (this.#isOff) return;
    const { kind } = request as EngineRequest;
    const isWrite = ["commit", "settle", "upkeep", "write"].includes(kind);
    if (kind === "commit" && this.trouble === "fails") {
      setImmediate(() => thread.emit("message", { kind: "answer", answer: FAILED }));
      return;
    }
    if (isWrite && this.#cut !== undefined && this.#cut.left-- === 0) {
      this.#goOff(thread, this.#cut.moment, send);
      return;
    }
    const wait = kind === "settle" ? this.#onSettle : undefined;
    if (wait === undefined) send();
    else {
      this.#onSettle = undefined;
      wait(send);
    }
  }

  #goOff(thread: Guarded, moment: Moment, send: () => void): void {
    const { resolve } = this.#isCut;
    this.#isOff = true;
    if (moment === "before") {
      resolve();
      return;
    }
    const before = this.#onDisk();
    thread.onAnswer = () => {
      const after = this.#onDisk();
      // Where the log went to the file meanwhile, it was synced.
      if (moment === "torn" && before.db.equals(after.db)) {
        const at = this.#below(after.wal.length + 1);
        this.#torn = Buffer.concat([after.wal.subarray(0, at), before.wal.subarray(at)]);
      }
      resolve();
    };
    send();
  }

  #onDisk() {
    const [db, wal] = FILES.map((name) => {
      const file = `${this.#file}${name}`;
      return existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
    }) as [Buffer, Buffer];
    return { db, wal };
  }

  #answer(answer: { kind: string }, thread: Guarded): void {
    if (this.#isOff) return;
    const tell = () => {
      if (!this.#isOff) thread.emit("message", answer);
    };
    if (answer.kind === "answer" && this.trouble === "late") this.#held.push(tell);
    else tell();
  }
}

type Send = (request: { kind: string }, send: () => void) => void;

/** A thread whose messages pass somebody. */
class Guarded extends EventEmitter {
  readonly real: Worker;
  onAnswer: (answer: { kind: string }) => void = () => {};
  readonly #onSend: Send;
  #isOpen = true;

  constructor(real: Worker, onSend: Send) {
    super();
    this.real = real;
    this.#onSend = onSend;
    real.on("message", (message: { kind: string }) => {
      if (message.kind === "closed") this.#isOpen = false;
      if (message.kind === "answer") this.onAnswer(message);
      else this.emit("message", message);
    });
    real.on("error", (error) => this.emit("error", error));
    real.on("exit", () => this.emit("exit"));
  }

  postMessage(request: { kind: string }): void {
    this.#onSend(request, () => this.real.postMessage(request));
  }

  /** Has it close its database, and gives it back. */
  async letGo(): Promise<void> {
    if (!this.#isOpen) return;
    this.removeAllListeners();
    this.real.postMessage({ kind: "close" });
    while (this.#isOpen) await once(this.real, "message");
    await reusedThreads.end(this.real);
  }
}
