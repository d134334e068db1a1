import { chmod, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { isObject } from "../base/input/json.ts";
import { type Cancel, Signal } from "../base/signal.ts";
import { ASKED_WIFI, type WifiState, type WifiWish } from "./ipc/wifi-state.ts";
import type { WifiStanding } from "./wifi-notices.ts";

interface WifiSwitchOptions {
  /** Root's folder, with a subfolder `asked` that the service may write to. */
  readonly folder: string;
  readonly clock: Pick<Clock, "monotonic" | "after">;
  readonly warn: (line: string) => void;
}

const LOOK_MS = 1_000;
/** A key offers a set-up for so long after it was held. */
const OFFER_MS = 60_000;
/** Root looks for the reason why there is no network after so long without. */
const OFFLINE_MS = 60_000;
/** A network without internet is told of for so long. */
const TOLD_MS = 15 * 60_000;

/**
 * The box's Wi-Fi, which root sets up: the service reads its state in a file, and asks by files in a folder that root
 * watches.
 */
export class WifiSwitch {
  readonly changed = new Signal();
  readonly #options: WifiSwitchOptions;
  #cancel: Cancel = () => {};
  #text = "";
  #state: WifiState | undefined;
  /** Monotonic times. */
  #stateAt = 0;
  #offeredUntil = Number.NEGATIVE_INFINITY;
  #offlineSince: number | undefined;
  #hasDeck: boolean | undefined;
  #told = "";

  constructor(options: WifiSwitchOptions) {
    this.#options = options;
  }

  /** Looks at the state, now and from now on. */
  async start(): Promise<void> {
    await this.#look();
  }

  close(): void {
    this.#cancel();
  }

  /** The state to show; undefined where root has told nothing, or there is no radio. */
  standing(): WifiStanding | undefined {
    const state = this.#state;
    if (state === undefined || !state.hasRadio) return undefined;
    const now = this.#options.clock.monotonic();
    const isNews = now - this.#stateAt < TOLD_MS;
    return {
      ...state,
      hasInternet: isNews ? state.hasInternet : null,
      isOffered: now < this.#offeredUntil && (state.phase === "idle" || state.phase === "over"),
    };
  }

  /** Somebody held a key while the box has no network: a key offers a set-up for a minute. */
  offer(): void {
    this.#offeredUntil = this.#options.clock.monotonic() + OFFER_MS;
    this.#tell();
  }

  /** Opens the set-up network. */
  async begin(): Promise<void> {
    this.#offeredUntil = Number.NEGATIVE_INFINITY;
    await this.#ask(ASKED_WIFI.begin, "");
  }

  /** Joins another network; the present one is joined again where that fails. */
  async join(wish: WifiWish): Promise<void> {
    await this.#ask(ASKED_WIFI.join, JSON.stringify(wish));
  }

  /** Tells root whether a deck can show a key. */
  showDeck(hasDeck: boolean): void {
    if (hasDeck === this.#hasDeck) return;
    this.#hasDeck = hasDeck;
    const file = join(this.#asked, ASKED_WIFI.shown);
    const told = hasDeck ? writeFile(file, "") : rm(file, { force: true });
    told.catch((error: unknown) => this.#options.warn(`Root is not told of decks: ${error}`));
  }

  /** Tells whether the box is reached by any network now. */
  noteNetwork(hasNetwork: boolean): void {
    const now = this.#options.clock.monotonic();
    if (hasNetwork) {
      this.#offlineSince = undefined;
      this.#offeredUntil = Number.NEGATIVE_INFINITY;
    } else this.#offlineSince ??= now;
  }

  async #ask(name: string, content: string): Promise<void> {
    const file = join(this.#asked, name);
    await writeFile(`${file}.new`, content);
    // Root reads it by the rights of the group, since its unit has no others.
    await chmod(`${file}.new`, 0o640);
    await rename(`${file}.new`, file);
  }

  async #look(): Promise<void> {
    const { folder, clock } = this.#options;
    const text = await readFile(join(folder, "state.json"), "utf8").catch(() => "");
    if (text !== this.#text) {
      this.#text = text;
      this.#state = stateIn(text);
      this.#stateAt = clock.monotonic();
    }
    this.#askForReason();
    this.#tell();
    this.#cancel = clock.after(LOOK_MS, () => void this.#look());
  }

  #askForReason(): void {
    const now = this.#options.clock.monotonic();
    if (this.#offlineSince === undefined || now - this.#offlineSince < OFFLINE_MS) return;
    // Root's program goes on by itself, once it runs.
    this.#offlineSince = Number.POSITIVE_INFINITY;
    this.#ask(ASKED_WIFI.look, "").catch(() => {});
  }

  #tell(): void {
    const told = JSON.stringify(this.standing() ?? null);
    if (told === this.#told) return;
    this.#told = told;
    this.changed.emit();
  }

  get #asked(): string {
    return join(this.#options.folder, "asked");
  }
}

/** Root's file, which is replaced as a whole. */
function stateIn(text: string): WifiState | undefined {
  try {
    const state: unknown = JSON.parse(text);
    return isObject(state) && typeof state.phase === "string"
      ? (state as unknown as WifiState)
      : undefined;
  } catch {
    return undefined;
  }
}
