import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../appliance/base/clock.ts";
import { type Cancel, Signal } from "../../appliance/base/signal.ts";
import type { DeckView } from "../../appliance/deck/deck-view.ts";
import { Decks, type DecksOptions } from "../../appliance/deck/decks.ts";
import type { Numbers } from "../../appliance/deck/face/face-context.ts";
import type { Notice } from "../../appliance/deck/face/notices.ts";
import type { Widget } from "../../appliance/deck/face/widget.ts";
import type { Pixels } from "../../appliance/deck/pixels.ts";
import { Channels } from "../../appliance/deck/push/channels.ts";
import type { DeckSettings } from "../../appliance/deck/settings/deck-settings.ts";
import { createDeckBus, type DeckBus } from "../../appliance/deck/usb/hid.ts";
import { FakeClock } from "./fake-clock.ts";
import { type FakeUnit, FakeUsbHost } from "./fake-hid.ts";
import { difference } from "./pictures.ts";

/** A clock whose timers can be counted, and which can leave them behind as a real one does. */
class WorldClock implements Clock {
  readonly boot = "fake-boot";
  readonly waiting = new Set<object>();
  readonly #fake: FakeClock;
  /** The time that passed unnoticed by timers. */
  #asleep = 0;
  #stoodStill = 0;

  constructor(fake: FakeClock) {
    this.#fake = fake;
  }

  now(): number {
    return this.#fake.now() + this.#asleep + this.#stoodStill;
  }

  monotonic(): number {
    return this.#fake.monotonic() + this.#stoodStill;
  }

  get sure(): boolean {
    return this.#fake.sure;
  }

  get becameSure(): Signal {
    return this.#fake.becameSure;
  }

  after(ms: number, task: () => void): Cancel {
    const timer = {};
    this.waiting.add(timer);
    const cancel = this.#fake.after(ms, () => {
      this.waiting.delete(timer);
      task();
    });
    return () => {
      this.waiting.delete(timer);
      cancel();
    };
  }

  /** The host is suspended: monotonic time stops. */
  sleep(ms: number): void {
    this.#asleep += ms;
  }

  /** The process does not get to run. */
  standStill(ms: number): void {
    this.#stoodStill += ms;
  }
}

interface DeckWorldOptions {
  virtualDecks?: string[];
  stored?: DeckSettings[];
  hasUsb?: boolean;
  sure?: boolean;
  /** Whether the end of watching USB throws. */
  failsToStop?: boolean;
}

/** Real decks code between fake hardware, a fake clock and sources a test can turn. */
export class DeckWorld {
  readonly time: FakeClock;
  readonly clock: WorldClock;
  readonly host: FakeUsbHost;
  readonly channels: Channels;
  readonly decks: Decks;
  /** The stored settings for a start or a reload. */
  stored: readonly DeckSettings[];
  readonly saved = new Map<string, DeckSettings>();
  /** Nothing can be stored. */
  isFull = false;
  /** The number of stored settings of a deck. */
  saves = 0;
  /** Numbers are asked for in vain. */
  isUnreadable = false;
  readonly events: string[] = [];
  /** Releases, and places that were held when the deck was lost. */
  readonly releases: string[] = [];
  readonly log: string[] = [];
  readonly numbers = new Map<string, Numbers>();
  notices: Notice[] = [];
  address: string | undefined = "http://tallydeck.local/";
  readonly #numbersChanged = new Signal();
  readonly #boardChanged = new Signal();

  constructor({
    virtualDecks = [],
    stored = [],
    hasUsb = true,
    sure = true,
    failsToStop = false,
  }: DeckWorldOptions) {
    this.stored = stored;
    this.time = new FakeClock(undefined, { sure });
    this.clock = new WorldClock(this.time);
    this.host = new FakeUsbHost(this.clock, { hasUsb });
    this.channels = new Channels(this.time);
    const bus = createDeckBus(this.host);
    const options: DecksOptions = {
      clock: this.clock,
      log: { info: (line) => this.log.push(line), warn: (line) => this.log.push(line) },
      store: {
        load: async () => this.stored,
        save: async (settings) => {
          if (this.isFull) throw new Error("the disk is full");
          this.saves++;
          for (const deck of settings) this.saved.set(deck.id, deck);
        },
      },
      channels: this.channels,
      numbers: {
        numbers: async (site, metric, period) => {
          if (this.isUnreadable) throw new Error("the data cannot be read");
          return this.numbers.get(`${site} ${metric} ${period}`);
        },
        changed: this.#numbersChanged,
        alarmed: new Signal(),
      },
      board: {
        notices: () => this.notices,
        address: () => this.address,
        addressByName: () => undefined,
        publicAddress: () => undefined,
        changed: this.#boardChanged,
      },
      timeZone: () => "UTC",
      virtualDecks,
      bus: failsToStop ? { ...bus, watch: (events) => unwatchable(bus, events) } : bus,
    };
    this.decks = new Decks(options);
    this.decks.changed.on((id) => this.events.push(`deck ${id}`));
    this.decks.fingers.pressed.on(({ slot }) => this.events.push(`pressed ${slot}`));
    this.decks.fingers.released.on(({ slot, isLost }) =>
      this.releases.push(`${isLost ? "lost" : "released"} ${slot}`),
    );
    this.decks.fingers.turned.on(({ slot, delta }) => this.events.push(`turned ${slot} ${delta}`));
    this.decks.fingers.swiped.on(({ direction }) => this.events.push(`swiped ${direction}`));
    this.decks.fingers.held.on(({ slot }) => this.events.push(`held ${slot}`));
    this.decks.problemsChanged.on(() => this.events.push("problems"));
  }

  /** Numbers were committed. */
  count(site: string, metric: string, period: string, value: number): void {
    this.numbers.set(`${site} ${metric} ${period}`, { value, compared: null, series: [value] });
    this.#numbersChanged.emit();
  }

  notify(notices: Notice[]): void {
    this.notices = notices;
    this.#boardChanged.emit();
  }

  /** Lets everything run that needs no time to pass. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 12; turn += 1) await setImmediate();
  }

  /** Lets time pass, with room for what falls due to do its work. */
  async pass(ms: number, stepMs = 100): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      this.time.advance(Math.min(stepMs, left));
      for (let turn = 0; turn < 3; turn += 1) await setImmediate();
    }
    await this.settle();
  }

  /** Waits until `condition` holds, without time passing. */
  async until(what: string, condition: () => boolean): Promise<void> {
    for (let turn = 0; turn < 5_000; turn += 1) {
      if (condition()) return;
      await setImmediate();
    }
    assert.fail(`it never came to this: ${what}`);
  }

  /** Plugs a unit in and waits until its deck is painted. */
  async plug(unit: FakeUnit, port = "1-1"): Promise<string> {
    const before = this.ids();
    this.host.plug(unit, { port });
    await this.until("a deck came", () => this.ids().length > before.length);
    await this.painted(unit);
    return this.ids().find((id) => !before.includes(id)) ?? assert.fail("no new deck");
  }

  /** Waits until nothing more is sent to a unit. */
  async painted(unit: FakeUnit): Promise<void> {
    for (let before = -1; before !== unit.writes; ) {
      before = unit.writes;
      await this.settle();
    }
  }

  deck(id: string): DeckView {
    return this.decks.list().find((deck) => deck.id === id) ?? assert.fail(`no deck ${id}`);
  }

  /** Ids of the decks that are connected. */
  ids(): string[] {
    return this.decks
      .list()
      .filter(({ connected }) => connected)
      .map(({ id }) => id);
  }

  /** The picture of a slot, kept while it changes. */
  shot(id: string, slot: string): Pixels {
    const { pixels } = this.decks.picture(id, slot);
    return { ...pixels, data: pixels.data.slice() };
  }

  /** Slots on which the panel does not show what it should. */
  async wrongSlots(id: string, unit: FakeUnit): Promise<string[]> {
    const wrong: string[] = [];
    for (const { slot } of this.deck(id).slots) {
      const shown = await unit.shown(slot);
      const { pixels } = this.decks.picture(id, slot);
      if (shown === undefined || difference(shown, pixels) > ALIKE) wrong.push(slot);
    }
    return wrong;
  }

  async write(id: string, slot: string, text: string): Promise<void> {
    await this.decks.setUp.setSlot(id, slot, { widget: { type: "text", text } });
  }

  /** Lets a slot show a channel. */
  async bind(id: string, slot: string, channel: string): Promise<void> {
    await this.decks.setUp.setSlot(id, slot, { widget: { type: "push", channel } });
  }
}

/** Watches until it is told to end, and fails then. */
async function unwatchable(bus: DeckBus, events: Parameters<DeckBus["watch"]>[0]): Promise<Cancel> {
  const unwatch = await bus.watch(events);
  return () => {
    unwatch();
    throw new Error("USB is busy");
  };
}

/** JPEG stays below; another picture, or the same one turned, does not. */
const ALIKE = 4;

/** Widgets whose pictures differ from slot to slot, and from themselves when turned. */
export function telling(index: number): Widget {
  const level = (shift: number) => (((index >> shift) & 3) * 0x40).toString(16).padStart(2, "0");
  const background = `#${level(0)}${level(2)}${level(4)}`;
  return { type: "text", text: `Slot\n${index} L`, background };
}

export async function startWorld(options: DeckWorldOptions = {}): Promise<DeckWorld> {
  const world = new DeckWorld(options);
  await world.decks.start();
  await world.settle();
  return world;
}
