import { HOUR_MS } from "../../base/calendar.ts";
import type { Clock } from "../../base/clock.ts";
import type { Cancel } from "../../base/signal.ts";
import type { Deck } from "../deck.ts";
import type { DeckRegistry } from "../deck-registry.ts";
import type { NoticeSource } from "../face/notices.ts";
import { channelOf, type StatWidget, type Widget } from "../face/widget.ts";
import type { Channels } from "../push/channels.ts";
import type { Images } from "../settings/images.ts";
import { type NumberSource, StatNumbers } from "./live-numbers.ts";

/** The signals after which decks have to be updated. */
export interface ShowingSources {
  clock: Clock;
  channels: Pick<Channels, "get" | "changed" | "stepped">;
  numbers: NumberSource;
  /** The pictures there are; none unless given. */
  images?: Pick<Images, "fitted" | "has" | "changed">;
  board: NoticeSource;
}

interface ShowingOptions extends ShowingSources {
  registry: DeckRegistry;
  /** A deck turned to another page, fell asleep or woke by itself. */
  turned(deck: Deck): void;
}

/** Widgets that change with time alone. */
const TIMED: ReadonlySet<Widget["type"]> = new Set([
  "clock",
  "date",
  "worldclock",
  "countdown",
  // The age of an alarm.
  "push",
  "address",
  // The padlock shows the time since the last request from outside.
  "padlock",
]);

/** States of channels in which keys show for how long. */
const AGING: ReadonlySet<string> = new Set(["late", "down", "firing"]);

/** Keeps the pictures of decks up to date, with their sources and the time. */
export class Showing {
  readonly numbers: StatNumbers;
  readonly #options: ShowingOptions;
  readonly #subscriptions: Cancel[] = [];
  #cancelTurn: Cancel = () => {};
  #isClosed = false;

  constructor(options: ShowingOptions) {
    this.#options = options;
    const { registry, numbers, clock } = options;
    this.numbers = new StatNumbers({
      source: numbers,
      clock,
      wanted: () => registry.list().flatMap(({ visible }) => visible.filter(isStat)),
      kept: () => registry.list().flatMap(({ widgets }) => widgets.filter(isStat)),
      onChange: () => this.#refresh(isStat),
    });
  }

  start(): void {
    const { clock, channels, numbers, images, board, registry } = this.#options;
    this.#subscriptions.push(
      clock.becameSure.on(() => this.refreshTimed()),
      ...(images === undefined
        ? []
        : [images.changed.on((hash) => this.#refresh((widget) => isImage(widget, hash)))]),
      channels.changed.on((channel) => this.#showChannel(channel)),
      channels.stepped.on(({ channel, alarm }) => {
        if (!alarm) return;
        const { wake } = channels.get(channel) ?? {};
        this.#bringToFront(
          (widget) => channelOf(widget) === channel && (wake === true || isToWake(widget)),
        );
      }),
      numbers.alarmed.on((site) =>
        this.#bringToFront(
          (widget) => widget.type === "stat" && widget.site === site && isToWake(widget),
        ),
      ),
      board.changed.on(() => {
        for (const deck of registry) deck.surface.placeNotices();
        this.#refresh((widget) => widget.type === "address" || widget.type === "padlock");
        // A deck that sleeps wakes up for some of them.
        this.refreshTimed();
      }),
      watchClock(clock, {
        slept: () => {
          for (const deck of registry) deck.reinitialise();
        },
        stepped: () => this.anew(),
      }),
    );
    this.anew();
  }

  close(): void {
    this.#isClosed = true;
    for (const cancel of this.#subscriptions) cancel();
    this.#cancelTurn();
    this.numbers.close();
  }

  /** Updates the wanted numbers and timers after a change of what decks show. */
  anew(): void {
    this.numbers.invalidate();
    this.refreshTimed();
  }

  /** Refreshes widgets that depend on the time, now and at their next change. */
  refreshTimed(): void {
    if (this.#isClosed) return;
    this.#cancelTurn();
    const { clock, registry, turned } = this.#options;
    const others = registry.list().filter((deck) => deck.tick());
    this.#refresh((widget) => TIMED.has(widget.type));
    const next = Math.min(...registry.list().map((deck) => deck.nextChange()));
    const wait = Math.min(Math.max(next - clock.now(), 0), HOUR_MS);
    this.#cancelTurn = clock.after(wait, () => this.refreshTimed());
    if (others.length > 0) this.numbers.invalidate();
    for (const deck of others) turned(deck);
  }

  /** An alarm: decks wake for the keys that are to wake them, and show them. */
  #bringToFront(wakes: (widget: Widget) => boolean): void {
    const { registry, turned } = this.#options;
    const woken = registry.list().filter((deck) => deck.bringToFront(wakes));
    if (woken.length > 0) this.anew();
    for (const deck of woken) turned(deck);
  }

  #refresh(concerned: (widget: Widget) => boolean): void {
    for (const deck of this.#options.registry) deck.surface.refresh(concerned);
  }

  #showChannel(channel: string): void {
    this.#refresh((widget) => channelOf(widget) === channel);
    // A countdown begins, or ends at another time; or an age shows.
    const { channels, registry } = this.#options;
    const state = channels.get(channel)?.state ?? "live";
    const isTimed = (widget: Widget) =>
      channelOf(widget) === channel && (widget.type === "countdown" || AGING.has(state));
    if ([...registry].some(({ visible }) => visible.some(isTimed))) this.refreshTimed();
  }
}

/** Whether the deck wakes for an alarm on this key. */
function isToWake(widget: Widget): boolean {
  return "wake" in widget && widget.wake === true;
}

function isStat(widget: Widget): widget is StatWidget {
  return widget.type === "stat";
}

function isImage(widget: Widget, hash: string): boolean {
  return widget.type === "image" && widget.image === hash;
}

const LOOK_MS = 5_000;
/** A jump of the clock by so much means that the machine was suspended. */
const GAP_MS = 10_000;
const STEP_MS = 1_000;

interface ClockWatcher {
  /** The host was suspended, or stood still for as long. */
  slept(): void;
  /** The wall clock was set. */
  stepped(): void;
}

/** Checks the clock every few seconds for jumps, which timers do not notice. */
function watchClock(clock: Clock, watcher: ClockWatcher): Cancel {
  let cancel: Cancel = () => {};
  const look = () => {
    const before = { now: clock.now(), monotonic: clock.monotonic() };
    cancel = clock.after(LOOK_MS, () => {
      const passed = clock.monotonic() - before.monotonic;
      // Monotonic time stands still while the host is suspended; the wall clock does not.
      const wallPassed = clock.now() - before.now;
      if (Math.max(passed, wallPassed) > LOOK_MS + GAP_MS) watcher.slept();
      if (Math.abs(wallPassed - passed) > STEP_MS) watcher.stepped();
      look();
    });
  };
  look();
  return () => cancel();
}
