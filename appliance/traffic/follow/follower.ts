import { HEAD_BYTES, headHash, type Place, readPlace } from "./place.ts";

/** The most bytes of a batch. */
const BATCH_BYTES = 262_144;
/** Servers write into a file for a moment after it was renamed: until they have opened the next one. */
const GRACE_MS = 5_000;
const LINE_END = 0x0a;

/** A file of a log: the one that is written, or one that was rotated. */
export interface LogFile {
  readonly name: string;
  readonly inode: number;
  readonly size: number;
  /** The time of its last change, epoch milliseconds. */
  readonly changedAt: number;
}

export interface LogFolder {
  /** The files of the log that are not packed. */
  list(): Promise<readonly LogFile[]>;
  /** Some bytes of a file, fewer at its end; undefined where another file has its name by now. */
  read(file: LogFile, from: number, most: number): Promise<Uint8Array | undefined>;
}

interface FollowerOptions {
  /** The name of the file that is written. */
  readonly name: string;
  readonly folder: LogFolder;
  /** The text that is kept between starts. Both reject where the disk does not do it. */
  readonly kept: { load(): Promise<string | undefined>; save(text: string): Promise<void> };
  /** Sends lines under a name, and resolves when they count once or were refused for good. */
  readonly send: (batch: string, lines: Uint8Array) => Promise<void>;
  /** Whether a log that was never followed is sent from its beginning. */
  readonly fromStart: boolean;
  readonly now: () => number;
  /** Tells the owner a sentence. */
  readonly tell: (sentence: string) => void;
}

/**
 * Sends each line of a log once, over rotation, copies, and starts of either side. What is about to be sent is written
 * down first; after a start, the same bytes go under the same name again, which counts them once.
 */
export class Follower {
  readonly #options: FollowerOptions;
  #place: Place | undefined;
  #isLoaded = false;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  /**
   * Takes one step. Rejects where something does not work now: the next step goes on.
   * @returns whether there may be more to do at once
   */
  async step(): Promise<boolean> {
    const { folder, name } = this.#options;
    if (!this.#isLoaded) await this.#load();
    const files = inOrder(await folder.list(), name);
    const place = this.#place;
    if (place === undefined) return this.#beginFirst(files);
    const file = await this.#find(place, files);
    if (file === "unsure") return false;
    if (file === undefined) return this.#goOnAfterLoss(place, files);
    const most = place.pending === undefined ? BATCH_BYTES : place.pending - place.offset;
    const bytes = await folder.read(file, place.offset, most);
    if (bytes === undefined) return false;
    if (place.pending !== undefined) return this.#send(place, file, bytes);
    const lines = wholeLines(bytes);
    if (lines.length > 0) return this.#send(place, file, lines);
    const next = files[files.indexOf(file) + 1];
    const isOver = this.#options.now() - file.changedAt >= GRACE_MS;
    if (next === undefined || next.size === 0 || !isOver) return false;
    // The last line of a file that is over has no end, if it was cut.
    return bytes.length > 0 ? this.#send(place, file, bytes) : this.#begin(next, 0);
  }

  async #load(): Promise<void> {
    const text = await this.#options.kept.load();
    this.#place = text === undefined ? undefined : readPlace(text);
    if (text !== undefined && this.#place === undefined)
      this.#options.tell("The place that was kept cannot be read: it begins anew.");
    this.#isLoaded = true;
  }

  async #beginFirst(files: readonly LogFile[]): Promise<boolean> {
    const { name, folder, fromStart } = this.#options;
    const file = files.find((one) => one.name === name);
    if (file === undefined || file.size === 0) return false;
    if (fromStart) return this.#begin(file, 0);
    const from = Math.max(0, file.size - BATCH_BYTES);
    const bytes = await folder.read(file, from, file.size - from);
    return bytes !== undefined && this.#begin(file, from + wholeLines(bytes).length);
  }

  /** The file of a place, by its beginning: itself, or else a copy; `unsure` while files are being renamed. */
  async #find(
    { inode, head, offset, pending = offset }: Place,
    files: readonly LogFile[],
  ): Promise<LogFile | "unsure" | undefined> {
    const isIt = ({ inode: other }: LogFile) => other === inode;
    const likely = [...files.filter(isIt), ...files.filter((one) => !isIt(one))];
    for (const file of likely) {
      if (file.size < Math.max(pending, head.bytes)) continue;
      const bytes = await this.#options.folder.read(file, 0, head.bytes);
      if (bytes === undefined) return "unsure";
      if (headHash(bytes) === head.hash) return file;
    }
    return undefined;
  }

  async #goOnAfterLoss({ at }: Place, files: readonly LogFile[]): Promise<boolean> {
    const { name, tell } = this.#options;
    const next = files.find((one) => one.size > 0 && (one.changedAt >= at || one.name === name));
    if (next === undefined) return false;
    if (!(await this.#begin(next, 0))) return false;
    tell(
      `The file that was followed is gone, or was emptied: its last lines may be missing. It goes on with ${next.name}.`,
    );
    return true;
  }

  /** Begins a file. @returns false where another one has its name by now */
  async #begin(file: LogFile, offset: number): Promise<boolean> {
    const bytes = await this.#options.folder.read(file, 0, Math.min(HEAD_BYTES, file.size));
    if (bytes === undefined || bytes.length === 0) return false;
    const head = { bytes: bytes.length, hash: headHash(bytes) };
    const id = headHash(Buffer.from(`${file.inode} ${head.hash}`));
    await this.#keep({ file: id, inode: file.inode, head, offset, at: this.#options.now() });
    return true;
  }

  async #send(place: Place, { inode }: LogFile, lines: Uint8Array): Promise<boolean> {
    const { now, send } = this.#options;
    const to = place.offset + lines.length;
    if (place.pending !== to) await this.#keep({ ...place, inode, pending: to, at: now() });
    await send(`${place.file}:${place.offset}-${to}`, lines);
    const sent = { ...place, inode, offset: to, pending: undefined, at: now() };
    // Known even where it cannot be written now: a start in between sends it again under its name.
    this.#place = sent;
    await this.#keep(sent);
    return true;
  }

  async #keep(place: Place): Promise<void> {
    await this.#options.kept.save(JSON.stringify(place));
    this.#place = place;
  }
}

/** Files in the order of their lines: the one that is written comes last. */
function inOrder(files: readonly LogFile[], name: string): LogFile[] {
  const number = new Intl.Collator("en", { numeric: true });
  const isWritten = (file: LogFile) => Number(file.name === name);
  return [...files].sort(
    (a, b) =>
      isWritten(a) - isWritten(b) || a.changedAt - b.changedAt || number.compare(b.name, a.name),
  );
}

/** The lines that have an end; or all, where one line is longer than a batch. */
function wholeLines(bytes: Uint8Array): Uint8Array {
  const end = bytes.lastIndexOf(LINE_END) + 1;
  return end === 0 && bytes.length >= BATCH_BYTES ? bytes : bytes.subarray(0, end);
}
