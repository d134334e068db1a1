import { setImmediate } from "node:timers/promises";
import { Signal } from "../../appliance/base/signal.ts";
import type { Person } from "../../appliance/deck/hardware/person.ts";
import type { FakeClock } from "./fake-clock.ts";
import type { FakeUnit, FakeUsbHost } from "./fake-hid.ts";
import { FakeAkp05 } from "./fake-hid-crt.ts";
import { FakeJpegStreamDeck } from "./fake-hid-elgato.ts";

/** The time a person takes to do as asked. */
const TAKES_MS = 700;
/** Turns of the event loop in which all is done that needs no time. */
const TURNS = 30;

interface HandOptions {
  readonly host: FakeUsbHost;
  readonly unit: FakeUnit;
  readonly clock: FakeClock;
  /** The act at a sentence instead of the usual one; undefined for the usual one. */
  readonly otherwise?: (line: string, hand: DeckHand) => (() => void) | undefined;
}

/** A person who reads the sentences of `try-deck` and does as they say. Time passes only meanwhile. */
export class DeckHand implements Person {
  readonly typed = new Signal<string>();
  readonly stopped = new Signal();
  readonly said: string[] = [];
  readonly #options: HandOptions;

  constructor(options: HandOptions) {
    this.#options = options;
    const { unit, clock } = options;
    const output = unit.output.bind(unit);
    unit.output = (report) => {
      // A report takes a while on a wire.
      clock.advance(1);
      output(report);
    };
  }

  readonly say = (line: string): void => {
    this.said.push(line);
    const act = this.#options.otherwise?.(line, this) ?? this.#act(line);
    if (act !== undefined) void this.#soon(act);
  };

  async #soon(act: () => void): Promise<void> {
    await settle();
    this.#options.clock.advance(TAKES_MS);
    act();
  }

  #act(line: string): (() => void) | undefined {
    const { host, unit, clock } = this.#options;
    const number = Number(/\d+/.exec(line)?.[0]) - 1;
    if (/^Press the key/.test(line)) return () => unit.press(`k${number}`);
    if (/^Touch \d+ on the strip/.test(line)) return () => this.#touch(number);
    if (/^Press dial/.test(line)) return () => unit.press(`d${number}`);
    if (/^Press button/.test(line)) return () => unit.press(`b${number}`);
    if (/^Press touch point/.test(line)) return () => unit.press(`t${number}`);
    if (/^Turn dial/.test(line)) return () => unit.turn(`d${number}`, 1);
    if (/^Swipe.*right to left/.test(line)) return () => unit.swipe("left");
    if (/^Swipe/.test(line)) return () => unit.swipe("right");
    if (/Type y or n/.test(line)) return () => this.typed.emit("y");
    if (/^Unplug/.test(line)) return () => host.unplug(unit);
    if (!/^Plug it in/.test(line)) return undefined;
    return () => {
      host.plug(unit, { nodeAfterMs: 300 });
      void letPass(clock, 1_000);
    };
  }

  /** @param number that of the slot, behind those of the keys */
  #touch(number: number): void {
    const { unit } = this.#options;
    if (unit instanceof FakeJpegStreamDeck) {
      const { columns, rows } = unit.layout;
      unit.touch((number - columns * rows) * 200 + 100, 50);
    } else if (unit instanceof FakeAkp05) unit.touch(number - unit.firmware.images.flat().length);
    else throw new Error("this deck has no strip");
  }
}

/** Lets all be done that needs no time. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await setImmediate();
}

/** Lets time pass, with room for what falls due. */
export async function letPass(clock: FakeClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 50) {
    await settle();
    clock.advance(50);
  }
}
