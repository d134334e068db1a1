import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { DAY_MS } from "../../base/calendar.ts";
import type { Clock } from "../../base/clock.ts";
import { HttpError } from "../../base/http/errors.ts";
import { messageOf } from "../../base/message-of.ts";
import { Refusal } from "../../base/refusal.ts";
import { storable } from "../../base/text/storable.ts";
import { answerOf, type Flag, type OwnProgram, type Work } from "./own-program.ts";
import { previewOf } from "./preview.ts";
import type { ImportOptions, ImportUpload, UploadPreview } from "./upload-view.ts";

interface UploadsOptions {
  /** Is made, and emptied at the start. */
  readonly folder: string;
  readonly clock: Clock;
  /** Bytes that there is room for beside counting. */
  readonly room: () => Promise<number>;
  readonly program: Pick<OwnProgram, "start">;
  readonly newId: () => string;
}

/** The most bytes of one piece. */
export const PIECE_BYTES = 4 * 1_048_576;

/** The file that a box takes in for an import, one at a time, and the work on it. */
export class Uploads {
  readonly #options: UploadsOptions;
  #now: Upload | undefined;
  #isClosed = false;

  private constructor(options: UploadsOptions) {
    this.#options = options;
  }

  /** Opens it, and removes what a power cut left behind. */
  static async open(options: UploadsOptions): Promise<Uploads> {
    // It stays on a card that cannot be written any more.
    await rm(options.folder, { recursive: true, force: true }).catch(() => {});
    return new Uploads(options);
  }

  /** The file that is here, or on its way; null for none. */
  get view(): ImportUpload | null {
    return this.#now?.view ?? null;
  }

  /**
   * Begins a file.
   * @param name as its owner calls it
   * @throws {Refusal} `exchange_busy`, `no_space`
   */
  async begin(site: string, name: string, size: number): Promise<ImportUpload> {
    if (this.#isClosed) throw new Refusal("not_now", "The machine is about to restart.");
    const before = this.#now;
    if (before !== undefined && before.view.state !== "done")
      throw new Refusal(
        "exchange_busy",
        `${before.view.name} is on its way into ${before.view.site} already. Go on with it, or cancel it first.`,
      );
    const upload = new Upload(this.#options, site, name, size);
    this.#now = upload;
    try {
      await before?.end();
      if (size > (await this.#options.room())) throw noSpace();
      await upload.make();
    } catch (error) {
      if (this.#now === upload) this.#now = undefined;
      await upload.end();
      throw error;
    }
    this.#forget(upload);
    return upload.view;
  }

  /** @throws {Refusal} `not_found` */
  find(site: string, id: string): Upload {
    const found = this.#now;
    if (found === undefined || found.view.id !== id || found.view.site !== site) throw gone();
    return found;
  }

  /** Ends the work on a file, and removes it. What was brought stays. @throws {Refusal} `not_found` */
  async cancel(site: string, id: string): Promise<void> {
    const upload = this.find(site, id);
    this.#now = undefined;
    await upload.end();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const upload = this.#now;
    this.#now = undefined;
    await upload?.end();
  }

  /** Removes a file that nobody has cared for. */
  #forget(upload: Upload): void {
    upload.cancelTimer = this.#options.clock.after(DAY_MS, () => {
      if (this.#now !== upload) return;
      if (upload.isAtWork) this.#forget(upload);
      else void this.cancel(upload.view.site, upload.view.id).catch(() => {});
    });
  }
}

/** One file, from its first byte to its last day. */
class Upload {
  readonly view: ImportUpload;
  cancelTimer: () => void = () => {};
  readonly #options: UploadsOptions;
  readonly #folder: string;
  readonly #file: string;
  #isTaking = false;
  #isOver = false;
  #work: Work | undefined;
  #working: Promise<void> = Promise.resolve();

  constructor(options: UploadsOptions, site: string, name: string, size: number) {
    const id = options.newId();
    this.#options = options;
    this.#folder = join(options.folder, id);
    this.#file = join(this.#folder, fileName(name));
    this.view = {
      id,
      site,
      size,
      name: fileName(name),
      received: 0,
      state: "sending",
      share: 0,
      preview: null,
      problem: null,
    };
  }

  get isAtWork(): boolean {
    return this.#work !== undefined;
  }

  async make(): Promise<void> {
    await this.#onDisk(async () => {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await (await open(this.#file, "wx", 0o600)).close();
    });
  }

  /**
   * Appends a piece, or nothing of it.
   * @param offset the bytes that are said to be here already
   * @param read the piece; one at a time is read
   * @throws {Refusal | HttpError} 409 `wrong_offset` with the right one in the header `Upload-Offset`
   */
  async append(offset: number, read: () => Promise<Buffer>): Promise<void> {
    if (this.#isTaking)
      throw new Refusal("exchange_busy", "Another piece of this file is on its way. Wait for it.");
    if (offset !== this.view.received)
      throw new HttpError(
        409,
        "wrong_offset",
        `The machine has ${this.view.received} bytes of this file. Go on from there.`,
        { "Upload-Offset": String(this.view.received) },
      );
    this.#isTaking = true;
    try {
      const piece = await read();
      if (this.#isOver) throw gone();
      const received = offset + piece.length;
      if (received > this.view.size)
        throw new Refusal("too_much", `This file was said to have ${this.view.size} bytes.`);
      if (piece.length > (await this.#options.room())) throw noSpace();
      await this.#onDisk(() => this.#write(piece, offset));
      this.view.received = received;
      if (received === this.view.size) this.view.state = "sent";
    } finally {
      this.#isTaking = false;
    }
  }

  /** Begins to read the file. @throws {Refusal} `not_now`, `exchange_busy` */
  inspect(wishes: ImportOptions): void {
    this.#begin("reading", ["--inspect", ...wordsOf(wishes)]);
  }

  /** Begins to write its days. @throws {Refusal} `not_now`, `exchange_busy`, `no_space` */
  async bring(wishes: ImportOptions): Promise<void> {
    if ((await this.#options.room()) < 0) throw noSpace();
    if (this.#isOver) throw gone();
    this.#begin("writing", wordsOf(wishes));
  }

  async end(): Promise<void> {
    this.#isOver = true;
    this.cancelTimer();
    this.#work?.kill();
    await this.#working;
    await this.#remove();
  }

  #begin(state: "reading" | "writing", words: readonly Flag[]): void {
    const { view } = this;
    if (view.state === "sending")
      throw new Refusal("not_now", "This file is not here whole yet. Send the rest of it first.");
    if (view.state === "done") throw new Refusal("not_now", "This file is imported already.");
    if (this.#work !== undefined)
      throw new Refusal("exchange_busy", "This file is being worked on. Wait, or cancel it.");
    if (!this.#options.clock.sure)
      throw new Refusal(
        "not_now",
        "The machine does not know the date yet. Try again when it does.",
      );
    const work = this.#options.program.start(
      "import",
      [`--site=${view.site}`, "--json", "--progress", ...words],
      {
        values: [this.#file],
        onShare: (share) => {
          // A look at the file only reads it.
          view.share = state === "reading" ? 2 * share : share;
        },
      },
    );
    this.#work = work;
    const before = view.preview === null ? "sent" : "read";
    Object.assign(view, { state, share: 0, problem: null });
    this.#working = answerOf(work)
      .then(
        (answer) => this.#ended(state, previewOf(answer)),
        (error: unknown) => Object.assign(view, { state: before, problem: messageOf(error) }),
      )
      .then(() => {
        this.#work = undefined;
      });
  }

  #ended(state: "reading" | "writing", preview: UploadPreview): void {
    Object.assign(this.view, { preview, state: state === "reading" ? "read" : "done" });
    if (state === "reading") return;
    this.cancelTimer();
    this.#working = this.#remove();
  }

  async #write(piece: Buffer, offset: number): Promise<void> {
    const file = await open(this.#file, "r+");
    try {
      for (let at = 0; at < piece.length; ) {
        const { bytesWritten } = await file.write(piece, at, piece.length - at, offset + at);
        at += bytesWritten;
      }
      // Else a commit of hits might wait until all that was sent is on the card.
      await file.datasync();
    } catch (error) {
      // A disk that is full has its room back for hits.
      await file.truncate(offset).catch(() => {});
      throw error;
    } finally {
      await file.close();
    }
  }

  /** @throws {Refusal} where the disk does not take it */
  async #onDisk(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch {
      throw this.#isOver ? gone() : noSpace();
    }
  }

  async #remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true }).catch(() => {});
  }
}

/** `logFormat` as `log-format`. */
function flagName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function wordsOf({ replace, ...texts }: ImportOptions): Flag[] {
  return [
    ...Object.entries(texts).map(([name, value]): Flag => `--${flagName(name)}=${value}`),
    ...(replace ? (["--replace"] as const) : []),
  ];
}

function gone(): Refusal {
  return new Refusal("not_found", "This file is not here any more. Choose it again.");
}

function noSpace(): Refusal {
  return new Refusal(
    "no_space",
    "There is not enough space to take this file in. Run `tallydeck import` with the file on another disk.",
  );
}

/** A name of a file may have 255 bytes. */
const MOST_BYTES = 200;

/** A name under which a file can be kept here, by the one that its owner gave it. */
function fileName(given: string): string {
  const name = storable(given.split(/[/\\]/).at(-1)).trim();
  let characters = [...name];
  // The end of it says which kind it is.
  while (Buffer.byteLength(characters.join("")) > MOST_BYTES) characters = characters.slice(1);
  const kept = characters.join("");
  return /^\.*$/.test(kept) ? "file" : kept;
}
