import type { Clock } from "../../base/clock.ts";
import type { Cancel } from "../../base/signal.ts";
import type { EncodeJpeg } from "../pixels.ts";
import { openCrt } from "./crt-drivers.ts";
import type { DeckDriver, DriverContext, HidHandle } from "./driver.ts";
import { type DeckBus, OpenError, type OpenProblem, type UsbUnit } from "./hid.ts";
import type { DriverInput, Model } from "./model.ts";

/** Waits between attempts to open; the last one repeats for as long as the deck is plugged in. */
const BACK_OFF_MS = [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 30_000];
/** Failures before a problem is reported, since the hidraw node and its permissions appear a little after the device. */
const PATIENT_FAILURES = 4;
/** An open deck that lasts this long starts with a clean record. */
const STEADY_MS = 10_000;

/** Usage page of the CRT interface; these decks have a keyboard interface beside it. */
const CRT_USAGE_PAGE = 0xffa0;

interface DeckConnectionEvents {
  /** The deck can be used from now on. */
  opened(driver: DeckDriver): void;
  /** The opened device can no longer be used; opening it again is under way. */
  lost(): void;
  /** Opening keeps failing for this reason, or does not any more. */
  problem(problem: { code: OpenProblem; reason: string } | undefined): void;
  input(input: DriverInput): void;
}

interface DeckConnectionOptions {
  readonly unit: UsbUnit;
  readonly model: Model;
  readonly bus: DeckBus;
  readonly clock: Clock;
  readonly encodeJpeg: EncodeJpeg;
  readonly events: DeckConnectionEvents;
}

/** Keeps a plugged-in deck open, from plugging it in until `close`. */
export class DeckConnection {
  readonly #options: DeckConnectionOptions;
  #hid: HidHandle | undefined;
  #open = false;
  /** Attempts that failed since the deck last stayed open for a while. */
  #failures = 0;
  #cancelTimer: Cancel = () => {};
  #closed = false;

  constructor(options: DeckConnectionOptions) {
    this.#options = options;
    void this.#attempt();
  }

  /** The deck does not work as opened: lets it go, and opens it again after a pause. */
  fail(error: Error): void {
    this.#failed(this.#hid, error);
  }

  /** Lets the device go for good. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelTimer();
    const hid = this.#hid;
    this.#hid = undefined;
    await hid?.close();
  }

  async #attempt(): Promise<void> {
    const { unit, model, bus, clock, encodeJpeg, events } = this.#options;
    let hid: HidHandle | undefined;
    try {
      const opened = await bus.open(unit, usagePageOf(model));
      if (this.#closed) return await opened.hid.close();
      hid = opened.hid;
      this.#hid = hid;
      // A read error is the only sign of unplugging.
      hid.on("error", (error) => this.#failed(hid, error));
      const driver = await openDriver({
        ...opened,
        model,
        usbSerial: unit.serial,
        encodeJpeg,
        onInput: summed(events.input),
      });
      if (this.#hid !== hid) return;
      this.#open = true;
      this.#cancelTimer = clock.after(STEADY_MS, () => {
        this.#failures = 0;
      });
      events.problem(undefined);
      events.opened(driver);
    } catch (error) {
      this.#failed(hid, error);
    }
  }

  /** Handles the first failure of a handle, and ignores further ones. */
  #failed(hid: HidHandle | undefined, cause: unknown): void {
    if (this.#closed || this.#hid !== hid) return;
    this.#hid = undefined;
    hid?.close().catch(() => {});
    this.#cancelTimer();
    const { clock, events } = this.#options;
    const error = cause instanceof Error ? cause : new Error(String(cause));
    const wait = BACK_OFF_MS[Math.min(this.#failures, BACK_OFF_MS.length - 1)] ?? 0;
    this.#failures += 1;
    this.#cancelTimer = clock.after(wait, () => void this.#attempt());
    if (this.#open) {
      this.#open = false;
      events.lost();
    } else if (this.#failures > PATIENT_FAILURES) {
      const code = error instanceof OpenError ? error.code : "not_seen";
      events.problem({ code, reason: error.message });
    }
  }
}

/** The usage page of the interface of a model that drives its deck; undefined where there is only one. */
export function usagePageOf({ family }: Model): number | undefined {
  return family === "elgato" ? undefined : CRT_USAGE_PAGE;
}

/** Starts the driver of a model on an open handle. */
export async function openDriver(context: DriverContext): Promise<DeckDriver> {
  const { model } = context;
  switch (model.family) {
    case "elgato":
      // The driver is loaded only here: many boxes have no such deck, and its library takes a while to load.
      return (await import("./elgato.ts")).openElgato({ ...context, model });
    case "mirabox":
    case "akp05":
      return openCrt({ ...context, model });
  }
}

/** Sums up the steps of dials within one turn of the event loop, since a fast hand makes many; inputs keep their order. */
function summed(tell: DriverContext["onInput"]): DriverContext["onInput"] {
  const sums = new Map<string, number>();
  const flush = () => {
    const turns = [...sums];
    sums.clear();
    for (const [place, by] of turns) if (by !== 0) tell({ what: "turn", place, by });
  };
  return (input) => {
    if (input.what === "turn") {
      if (sums.size === 0) setImmediate(flush);
      sums.set(input.place, (sums.get(input.place) ?? 0) + input.by);
      return;
    }
    flush();
    tell(input);
  };
}
