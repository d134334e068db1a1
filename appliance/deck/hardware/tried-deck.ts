import { type Clock, every } from "../../base/clock.ts";
import { messageOf } from "../../base/message-of.ts";
import type { Cancel } from "../../base/signal.ts";
import { Mutex } from "../../base/tasks/mutex.ts";
import type { EncodeJpeg, Pixels } from "../pixels.ts";
import { openDriver, usagePageOf } from "../usb/connection.ts";
import type { DeckDriver, HidHandle } from "../usb/driver.ts";
import { type DeckBus, OpenError, type UsbUnit } from "../usb/hid.ts";
import type { Model } from "../usb/model.ts";
import { openSentence } from "../usb/problems.ts";
import { type EventQueue, TourEnded } from "./person.ts";
import type { Recorder } from "./recorder.ts";

interface TriedDeckOptions {
  readonly model: Model;
  readonly bus: DeckBus;
  readonly clock: Clock;
  readonly encodeJpeg: EncodeJpeg;
  readonly recorder: Recorder;
  readonly inbox: EventQueue;
}

/** The longest wait for the deck to take or answer something. */
const ANSWER_MS = 10_000;
const OPEN_PAUSE_MS = 250;
const BRIGHTNESS = 80;

/** One deck as a tour has it open: every call is recorded, bounded in time, and made after the one before. */
export class TriedDeck {
  readonly #options: TriedDeckOptions;
  readonly #mutex = new Mutex();
  #hid: HidHandle | undefined;
  #driver: DeckDriver | undefined;
  #stopBeating: Cancel = () => {};
  #brightness = BRIGHTNESS;
  readonly facts: Record<string, string> = {};

  constructor(options: TriedDeckOptions) {
    this.#options = options;
  }

  /**
   * Opens a unit and wakes it.
   * @param tries more than one for a unit that was just plugged in, whose node and permissions come a little later
   * @throws {TourEnded}
   */
  async open(unit: UsbUnit, tries: number): Promise<void> {
    const { model, encodeJpeg, recorder, inbox } = this.#options;
    recorder.hide(unit.serial);
    const opened = await this.#opened(unit, tries);
    const hid = recorder.handle(opened.hid);
    this.#hid = hid;
    hid.on("error", () => {
      if (this.#hid === hid) inbox.put({ kind: "gone" });
    });
    this.facts.device =
      opened.isEmulated === undefined ? "unknown" : opened.isEmulated ? "emulated" : "real";
    this.facts["output report"] = `${opened.outputBytes ?? "unknown"} bytes`;
    const driver = await this.#call(() =>
      recorder.call("open", () =>
        openDriver({
          hid,
          model,
          outputBytes: opened.outputBytes,
          usbSerial: unit.serial,
          encodeJpeg: recorder.encoder(encodeJpeg),
          onInput(input) {
            const { what, place, by = "" } = input;
            recorder.note("heard", `${what} ${place} ${by}`.trim());
            inbox.put({ kind: "heard", ...input });
          },
        }),
      ),
    );
    recorder.hide(driver.serial);
    this.#driver = recorder.driver(driver);
    await this.#call((deck) => deck.initialise(this.#brightness));
    this.#beat();
  }

  /** The version of its firmware. A unit that tells none may be as good as any. */
  async firmware(): Promise<void> {
    const told = await this.#call((deck) => deck.firmware().catch(() => ""));
    this.facts.firmware = told === "" ? "not told" : this.#options.recorder.clean(told);
  }

  async paint(slot: string, pixels: Pixels): Promise<void> {
    const pictures = [{ slot, pixels }].values();
    await this.#call((deck) => deck.paint(() => pictures.next().value));
  }

  /** @param percent that of the beginning unless given */
  async setBrightness(percent = BRIGHTNESS): Promise<void> {
    this.#brightness = percent;
    await this.#call((deck) => deck.setBrightness(percent));
  }

  async farewell(): Promise<void> {
    await this.#call((deck) => deck.farewell());
  }

  /** Lets the device go, as far as it is still there. */
  async close(): Promise<void> {
    this.#stopBeating();
    const hid = this.#hid;
    this.#hid = undefined;
    this.#driver = undefined;
    // The device may be gone already.
    await hid?.close().catch(() => {});
  }

  #beat(): void {
    const { heartbeat } = this.#driver ?? {};
    if (heartbeat === undefined) return;
    this.#stopBeating = every(this.#options.clock, heartbeat.everyMs, () => {
      // A failure shows in the next call, too.
      this.#mutex.runExclusive(() => heartbeat.beat(this.#brightness)).catch(() => {});
    });
  }

  async #opened(unit: UsbUnit, tries: number) {
    const { bus, model, inbox, clock } = this.#options;
    for (let left = tries - 1; ; left -= 1)
      try {
        const opening = bus.open(unit, usagePageOf(model));
        return await inbox.within(ANSWER_MS, opening, `The ${model.name} cannot be opened.`);
      } catch (error) {
        if (!(error instanceof OpenError)) throw error;
        if (left <= 0) {
          const place = { deck: model.name, port: unit.port };
          throw new TourEnded(openSentence(place, error.code, error.message), true);
        }
        const { promise, resolve } = Promise.withResolvers<void>();
        clock.after(OPEN_PAUSE_MS, resolve);
        await inbox.within(ANSWER_MS, promise, "The clock stands still.");
      }
  }

  /** @throws {TourEnded} where the deck does not do it, or not in time */
  async #call<T>(work: (driver: DeckDriver) => Promise<T>): Promise<T> {
    const { inbox, model, recorder } = this.#options;
    const turn = this.#mutex.runExclusive(() => work(this.#driver as DeckDriver));
    const late = `The ${model.name} does not answer. Unplug it, plug it in again, and try once more.`;
    return inbox.within(ANSWER_MS, turn, late).catch((error: unknown) => {
      if (error instanceof TourEnded) throw error;
      throw new TourEnded(`The ${model.name} failed: ${recorder.clean(messageOf(error))}`, true);
    });
  }
}
