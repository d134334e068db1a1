import type { Readable } from "node:stream";
import { type Clock, every } from "../base/clock.ts";
import { Refusal } from "../base/refusal.ts";
import { type Cancel, Signal } from "../base/signal.ts";
import type { Told } from "../release/told.ts";
import type { ThisBoard } from "./boards.ts";
import type { RootUpdater } from "./root.ts";
import type { UpdateSettings } from "./settings.ts";
import type { UpdateView, UpdateWish } from "./shown.ts";
import { isUnseenFailure, isUntried, outcomeKey, readyOf, viewOf } from "./view.ts";

interface UpdatesOptions {
  readonly clock: Clock;
  readonly settings: UpdateSettings;
  readonly board: ThisBoard;
  readonly root: RootUpdater;
}

const LOOK_MS = 1_000;

/** What the box knows of releases, and does about them. */
export class Updates {
  readonly changed = new Signal();
  readonly #options: UpdatesOptions;
  readonly #stop: Cancel;
  #told: Told | undefined;
  #seen: string | null = null;
  #skipped: number | null = null;
  #shown = "";

  constructor(options: UpdatesOptions) {
    this.#options = options;
    this.#told = options.root.told();
    this.#stop = every(options.clock, LOOK_MS, () => this.#look());
  }

  view(): UpdateView | undefined {
    if (this.#told === undefined) return undefined;
    const { settings, board } = this.#options;
    return viewOf(this.#told, {
      settings,
      board,
      candidates: [],
      download: null,
      asked: null,
      checkedAt: null,
      restartsAt: null,
      skipped: this.#skipped,
      seen: this.#seen,
      problem: null,
    });
  }

  warnings(): readonly "update_failed"[] {
    const isWrong = this.#told !== undefined && isUnseenFailure(this.#told, this.#seen);
    return isWrong ? ["update_failed"] : [];
  }

  /** @throws {Refusal} `no_update`, `untried_board` */
  async act(wish: UpdateWish): Promise<void> {
    const told = this.#told;
    if (told === undefined) return;
    const { root, board } = this.#options;
    switch (wish.action) {
      case "seen":
        this.#seen = told.last === undefined ? null : outcomeKey(told.last);
        break;
      case "skip":
        this.#skipped = wish.release;
        break;
      case "back":
        if (told.other === undefined) throw NOTHING_BEFORE();
        await root.ask("back");
        break;
      case "keep":
        await root.ask("keep");
        break;
      case "now":
      case "tonight":
        if (readyOf(told, [])?.release !== wish.release) throw NO_SUCH();
        if (isUntried(told, board) && wish.untried !== true) throw UNTRIED();
        await root.ask("prepare", wish.release);
        break;
    }
    this.#tell();
  }

  async takeIn(file: Readable, _declared: number | undefined): Promise<void> {
    file.resume();
    throw NO_SUCH();
  }

  close(): void {
    this.#stop();
  }

  #look(): void {
    this.#told = this.#options.root.told();
    this.#tell();
  }

  #tell(): void {
    const shown = JSON.stringify(this.view());
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.changed.emit();
  }
}

const NO_SUCH = () => new Refusal("no_update", "There is no such release to install any more.");
const NOTHING_BEFORE = () => new Refusal("no_update", "There is no other release to go back to.");
const UNTRIED = () =>
  new Refusal(
    "untried_board",
    "Updates on this board were never tried: keep a card reader near, and say so.",
  );
