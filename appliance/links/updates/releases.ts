import type { Readable } from "node:stream";
import type { Clock } from "../../base/clock.ts";
import { isRefusal, orElse, Refusal } from "../../base/refusal.ts";
import {
  bundleBytes,
  type Manifest,
  MOST_ROOT_BYTES,
  misfits,
} from "../../base/release/manifest.ts";
import type { UpdaterState } from "../../base/release/updater-state.ts";
import { sizeOf } from "../../base/system/files.ts";
import type { ThisBoard } from "./boards.ts";
import { type Bundles, FETCHED, LARGE } from "./bundles.ts";
import { fetchFile } from "./fetch-file.ts";
import type { CheckOutcome, Unfinished } from "./outcomes.ts";
import type { UpdateRecordFile } from "./record.ts";
import { diskRefusal, failureSentence, refuse } from "./refusals.ts";
import { NotFetched, type ReleaseHost } from "./release-host.ts";
import type { Candidate } from "./view.ts";

interface ReleasesOptions {
  readonly clock: Clock;
  readonly record: Pick<UpdateRecordFile, "now" | "change">;
  readonly bundles: Bundles;
  readonly board: ThisBoard;
  readonly host: ReleaseHost | undefined;
  /** Bytes for a release, beside those that counting needs. */
  readonly freeBytes: () => Promise<number>;
}

const MOST_UPLOADED = 1_073_741_824;

/** The releases that the service gets itself: from the host, and as uploads of the owner. */
export class Releases {
  readonly #options: ReleasesOptions;
  /** The release that the host offers. */
  #found: Manifest | undefined;
  /** The complete release. */
  #whole: Manifest | undefined;
  /** File → bytes of the download that are there. */
  readonly #fetched = new Map<string, number>();

  private constructor(options: ReleasesOptions) {
    this.#options = options;
  }

  /** Opens the folder, with its releases. @throws {Error} where the folder cannot be used */
  static async open(options: ReleasesOptions): Promise<Releases> {
    const { bundles, record, host } = options;
    const releases = new Releases(options);
    await bundles.begin(host !== undefined);
    releases.#whole = bundles.whole();
    const { found } = record.now;
    releases.#found = found === null ? undefined : orElse(() => bundles.read(found), undefined);
    return releases;
  }

  /** The known releases, without a found one where there is no host. */
  candidates(): Candidate[] {
    const { host, record } = this.#options;
    return candidatesOf({
      whole: this.#whole,
      found: host && this.#found,
      uploaded: record.now.uploaded,
    });
  }

  /** The progress of a release that is being fetched; null where none is. */
  download(release: number | undefined) {
    if (this.#found === undefined || this.#found.release !== release) return null;
    if (this.#whole?.release === release) return null;
    const done = [...this.#fetched.values()].reduce((sum, bytes) => sum + bytes, 0);
    return { release, done, of: bundleBytes(this.#found) };
  }

  /**
   * Asks the host for its newest release.
   * @param isAsked whether the owner has requested it, and so gets the outcome in any case
   */
  async check(state: UpdaterState, isAsked: boolean, signal: AbortSignal): Promise<CheckOutcome> {
    const { host, bundles, board } = this.#options;
    try {
      if (host === undefined) throw refuse("nobody");
      const papers = await host.newest(signal);
      const manifest = bundles.read(papers);
      const isNew = manifest.release > state.running.release && !isOther(manifest, state);
      const [problem = null] = isNew ? misfitsHere(manifest, state, board) : [];
      const isFound = isNew && problem === null;
      this.#found = isFound ? manifest : undefined;
      if (!isFound) await bundles.remove(FETCHED);
      return { kind: "checked", found: isFound ? papers : null, problem };
    } catch (error) {
      if (signal.aborted) throw error;
      // A host that is away once is reported only on a request.
      const isTold = isAsked || error instanceof Refusal;
      return { kind: "not-checked", problem: isTold ? failureSentence(error) : undefined };
    }
  }

  /**
   * Downloads the offer of the host, and resumes an earlier download.
   * @throws {Error} when it is stopped
   */
  async fetch(
    state: UpdaterState,
    signal: AbortSignal,
  ): Promise<{ kind: "fetched" } | Unfinished | CheckOutcome> {
    const manifest = this.#found;
    let came = 0;
    try {
      await this.#fetchAll((name, bytes) => {
        came += bytes - (this.#fetched.get(name) ?? bytes);
        this.#fetched.set(name, bytes);
      }, signal);
      return { kind: "fetched" };
    } catch (error) {
      if (signal.aborted) throw error;
      const kind = error instanceof NotFetched ? error.kind : "failed";
      const problem = failureSentence(error);
      if (isRefusal(error, "no_space")) {
        // An incomplete download takes space, too, and may never be completed.
        await this.#options.bundles.remove(FETCHED);
        signal.throwIfAborted();
        return { kind: "unfinished", problem, came, isFinal: true };
      }
      if (kind === "failed") return { kind: "unfinished", problem, came, isFinal: false };
      // The host may have a newer one by now, and the files of that.
      const checked = await this.check(state, false, signal);
      if (signal.aborted) return checked;
      const isFinal = this.#found?.release !== manifest?.release;
      const said = isFinal ? `${problem} ${ANOTHER}` : problem;
      return { kind: "unfinished", problem: said, came: 0, isFinal, checked };
    }
  }

  async #fetchAll(
    progress: (name: string, bytes: number) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const { bundles, host, clock, freeBytes, record } = this.#options;
    const { found: papers } = record.now;
    const manifest = this.#found;
    if (host === undefined || papers === null || manifest === undefined) throw refuse("nobody");
    const path = await bundles.fetched(papers);
    const here = LARGE.reduce((sum, name) => sum + (sizeOf(path(name)) ?? 0), 0);
    await this.#makeWay(bundleBytes(manifest) - here);
    this.#fetched.clear();
    for (const name of LARGE)
      await fetchFile(name, path(name), manifest.files[name], {
        host,
        clock,
        freeBytes,
        signal,
        progress: (bytes) => progress(name, bytes),
      });
    await bundles.finishFetched();
    this.#whole = manifest;
  }

  /**
   * Takes a release as one file.
   * @param declared its size in bytes, where the request says so
   * @throws {Refusal} `too_large`, `invalid_release`, `no_space`, `storage_unavailable`
   */
  async takeIn(file: Readable, declared: number | undefined, state: UpdaterState): Promise<void> {
    const { bundles, record, board } = this.#options;
    if (declared !== undefined && declared > MOST_UPLOADED) throw refuse("large");
    try {
      this.#whole = await bundles.takeIn(file, async (manifest) => {
        const [reason] = misfitsHere(manifest, state, board);
        if (reason !== undefined) throw new Refusal("invalid_release", reason);
        await this.#makeWay(bundleBytes(manifest));
      });
    } catch (error) {
      if (error instanceof Refusal) throw error;
      // Otherwise the connection was lost, or too slow.
      throw diskRefusal(error) ?? (file.readableEnded ? error : refuse("cut"));
    }
    await record.change({ uploaded: this.#whole.release, problem: null });
  }

  /** Removes releases that are not newer than the running one. */
  async clean({ running }: UpdaterState): Promise<{ kind: "cleaned"; isFoundGone: boolean }> {
    const isOld = (manifest: Manifest | undefined) =>
      manifest !== undefined && manifest.release <= running.release;
    if (isOld(this.#whole)) await this.#removeWhole();
    const isFoundGone = isOld(this.#found);
    if (isFoundGone) {
      this.#found = undefined;
      await this.#options.bundles.remove(FETCHED);
    }
    return { kind: "cleaned", isFoundGone };
  }

  /**
   * Reads the complete release again, and removes it where the card returns other bytes.
   * @throws {Error} when it is stopped
   */
  async lookAgain(signal: AbortSignal): Promise<void> {
    const { bundles } = this.#options;
    if (this.#whole !== undefined && !(await bundles.isSound(this.#whole, signal)))
      await this.#removeWhole();
  }

  /**
   * Makes space for a release. Without space for two, the present one is removed first, even though the new one may
   * fail: it can be downloaded again, and could never be replaced on a full card otherwise.
   * @throws {Refusal} `no_space`
   */
  async #makeWay(bytes: number): Promise<void> {
    const free = await this.#options.freeBytes();
    if (bytes <= free) return;
    const before = this.#whole === undefined ? 0 : bundleBytes(this.#whole);
    if (bytes > free + before) throw refuse("space");
    await this.#removeWhole();
  }

  async #removeWhole(): Promise<void> {
    await this.#options.bundles.remove();
    this.#whole = undefined;
  }
}

/** @returns sentences with the reasons why a release does not fit this box, as far as the service knows them */
export function misfitsHere(manifest: Manifest, state: UpdaterState, board: ThisBoard): string[] {
  const { running, other } = state;
  return misfits(manifest, {
    running,
    highest: isKept(state) ? Math.max(running.release, other?.release ?? 0) : running.release,
    boards: board.compatible,
    // Only the updater knows the size of a slot.
    slotBytes: MOST_ROOT_BYTES,
    dataBytes: Number.POSITIVE_INFINITY,
  });
}

const ANOTHER = "There is another release by now: look at that.";

/** Whether the other slot has a release that was kept once. */
function isKept({ other, prepared, failed }: UpdaterState): boolean {
  return (
    other !== undefined && other.release !== prepared?.release && !failed.includes(other.release)
  );
}

/** Whether it is the release that "go back" starts. */
export function isOther({ release }: Manifest, state: UpdaterState): boolean {
  return isKept(state) && state.other?.release === release;
}

interface HeldReleases {
  readonly whole: Manifest | undefined;
  readonly found: Manifest | undefined;
  readonly uploaded: number | null;
}

/** The same as it is offered. */
export function candidatesOf({ whole, found, uploaded }: HeldReleases): Candidate[] {
  const source = whole?.release === uploaded ? "upload" : "network";
  return [
    ...(whole ? [candidateOf(whole, source, true)] : []),
    ...(found ? [candidateOf(found, "network", false)] : []),
  ];
}

function candidateOf(manifest: Manifest, source: Candidate["source"], isWhole: boolean): Candidate {
  const { release, version, notes } = manifest;
  return { release, version, notes, bytes: bundleBytes(manifest), source, isWhole };
}
