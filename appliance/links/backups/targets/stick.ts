import { join } from "node:path";
import { type Clock, every } from "../../../base/clock.ts";
import { isObject, isText } from "../../../base/input/json.ts";
import { type Cancel, Signal } from "../../../base/signal.ts";
import { textOf } from "../../../base/system/files.ts";
import { FolderTarget } from "./folder.ts";
import type { BackupTarget } from "./target.ts";

/** The plugged-in stick, as root reports it. */
interface StickState {
  /** Names this time that it is plugged in. */
  readonly plug: string;
  /** Our folder on it. */
  readonly folder: string;
  /** The reason that it cannot be used, as a sentence; empty where it can. */
  readonly why: string;
}

const LOOK_MS = 5_000;

/**
 * The place for USB sticks of a box. Root mounts one and makes our folder on it; a file says so. A machine that is no box
 * has no such place.
 */
export class StickSlot {
  readonly changed = new Signal();
  readonly #folder: string | undefined;
  readonly #clock: Pick<Clock, "after">;
  readonly #stop: Cancel;
  #said = "";
  #state: StickState | undefined;
  #target: BackupTarget | undefined;

  /** @param folder root's; undefined for none */
  constructor(folder: string | undefined, clock: Pick<Clock, "after">) {
    this.#folder = folder;
    this.#clock = clock;
    this.#look();
    this.#stop = folder === undefined ? () => {} : every(clock, LOOK_MS, () => this.#look());
  }

  get isThere(): boolean {
    return this.#folder !== undefined;
  }

  /** Undefined while no stick can be used. */
  get target(): BackupTarget | undefined {
    return this.#target;
  }

  /** The reason that the plugged stick cannot be used; undefined without one. */
  get problem(): string | undefined {
    return this.#state?.why || undefined;
  }

  close(): void {
    this.#stop();
  }

  #look(): void {
    if (this.#folder === undefined) return;
    const said = textOf(join(this.#folder, "state.json")) ?? "";
    if (said === this.#said) return;
    this.#said = said;
    const state = stateOf(said);
    // Another stick is another target: work may hang in the one before.
    if (state?.why !== "") this.#target = undefined;
    else if (state.plug !== this.#state?.plug || this.#target === undefined)
      this.#target = new FolderTarget({
        folder: state.folder,
        called: "the USB stick",
        isOnStick: true,
        clock: this.#clock,
      });
    this.#state = state;
    this.changed.emit();
  }
}

function stateOf(said: string): StickState | undefined {
  try {
    const state: unknown = JSON.parse(said);
    if (!isObject(state)) return undefined;
    const { plug, folder, why } = state;
    return isText(plug) && isText(folder) && isText(why) ? { plug, folder, why } : undefined;
  } catch {
    return undefined;
  }
}
