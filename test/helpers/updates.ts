import type { Readable } from "node:stream";
import { Signal } from "../../appliance/base/signal.ts";
import type { UpdateSource } from "../../appliance/control/routes/box/update.ts";
import type { UpdateChange, UpdateView } from "../../appliance/links/updates/view.ts";

/** A box at rest with the newest release. */
export const AT_REST: UpdateView = {
  running: { release: 11, version: "0.2.0", slot: "a" },
  other: null,
  mode: "normal",
  updates: "ask",
  source: "releases.example.org",
  checkedAt: 1_772_600_000,
  ready: null,
  progress: null,
  next: null,
  isCalledOff: false,
  restartsAt: null,
  isUntriedBoard: false,
  couldNotTry: false,
  board: "Raspberry Pi 4 Model B Rev 1.4",
  last: null,
  problem: null,
};

/** Updates that stand as a test says: nothing is fetched, nobody asked. */
export class FakeUpdates implements UpdateSource {
  readonly changed = new Signal();
  /** Requests of the owner, in order. */
  readonly wishes: UpdateChange[] = [];
  readonly files: Buffer[] = [];
  /** The refusal of the next request, or file. */
  refusal: Error | undefined;
  failed = false;
  #shown: Partial<UpdateView> = {};

  view(): UpdateView {
    return { ...AT_REST, ...this.#shown };
  }

  warnings(): readonly "update_failed"[] {
    return this.failed ? ["update_failed"] : [];
  }

  /** From now on they stand so. */
  show(view: Partial<UpdateView>): void {
    this.#shown = view;
    this.changed.emit();
  }

  async act(wish: UpdateChange): Promise<void> {
    if (this.refusal) throw this.refusal;
    this.wishes.push(wish);
  }

  async takeIn(file: Readable): Promise<void> {
    if (this.refusal) throw this.refusal;
    this.files.push(Buffer.concat(await file.toArray()));
  }
}
