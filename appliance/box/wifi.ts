import type { Clock } from "../base/clock.ts";
import { type Cancel, Signal } from "../base/signal.ts";
import type { RootRequests } from "../base/system/root-requests.ts";
import { ASKED_WIFI, type WifiRequest, type WifiState } from "./ipc/wifi-state.ts";
import type { WifiStanding } from "./wifi-notices.ts";

interface WifiSwitchOptions {
  readonly root: RootRequests;
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

export class WifiSwitch {
  readonly changed = new Signal();
  readonly #options: WifiSwitchOptions;
  #cancel: Cancel = () => {};
  #text: string | undefined;
  #state: WifiState | undefined;
  /** Monotonic times. */
  #stateAt = 0;
  #offeredUntil = Number.NEGATIVE_INFINITY;
  #offlineSince: number | undefined;
  #hasDeck: boolean | undefined;
  #deckTold: Promise<void> = Promise.resolve();
  #told = "";

  constructor(options: WifiSwitchOptions) {
    this.#options = options;
  }

  /** Looks at the state, now and from now on. */
  start(): void {
    this.#look();
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

  async begin(): Promise<void> {
    this.#offeredUntil = Number.NEGATIVE_INFINITY;
    await this.#options.root.ask(ASKED_WIFI.begin);
  }

  /** Joins another network; the present one is joined again where that fails. */
  async join(wish: WifiRequest): Promise<void> {
    await this.#options.root.ask(ASKED_WIFI.join, JSON.stringify(wish));
  }

  /** Tells root whether a deck can show a key; resolves once it is told. */
  showDeck(hasDeck: boolean): Promise<void> {
    if (hasDeck === this.#hasDeck) return this.#deckTold;
    this.#hasDeck = hasDeck;
    const { root, warn } = this.#options;
    // One after the other: a deck may go while root is still told of it.
    this.#deckTold = this.#deckTold
      .then(() => (hasDeck ? root.ask(ASKED_WIFI.shown) : root.withdraw(ASKED_WIFI.shown)))
      .catch((error: unknown) => warn(`Root is not told of decks: ${error}`));
    return this.#deckTold;
  }

  /** Tells whether the box is reached by any network now. */
  noteNetwork(hasNetwork: boolean): void {
    const now = this.#options.clock.monotonic();
    if (hasNetwork) {
      this.#offlineSince = undefined;
      this.#offeredUntil = Number.NEGATIVE_INFINITY;
    } else this.#offlineSince ??= now;
  }

  #look(): void {
    const { root, clock } = this.#options;
    const text = root.stateText;
    if (text !== this.#text) {
      this.#text = text;
      const state = root.state<WifiState>(text);
      this.#state = typeof state?.phase === "string" ? state : undefined;
      this.#stateAt = clock.monotonic();
    }
    this.#askForReason();
    this.#tell();
    this.#cancel = clock.after(LOOK_MS, () => this.#look());
  }

  #askForReason(): void {
    const now = this.#options.clock.monotonic();
    if (this.#offlineSince === undefined || now - this.#offlineSince < OFFLINE_MS) return;
    // Root's program goes on by itself, once it runs.
    this.#offlineSince = Number.POSITIVE_INFINITY;
    this.#options.root.ask(ASKED_WIFI.look).catch(() => {});
  }

  #tell(): void {
    const told = JSON.stringify(this.standing() ?? null);
    if (told === this.#told) return;
    this.#told = told;
    this.changed.emit();
  }
}
