import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/message-of.ts";
import type { EncodeJpeg, Pixels } from "../pixels.ts";
import type { DeckBus, UsbUnit } from "../usb/hid.ts";
import type { Model, ModelSlot } from "../usb/model.ts";
import { EventQueue, type Person, TourEnded } from "./person.ts";
import { Recorder } from "./recorder.ts";
import type { HardwareReport, ReportStep } from "./report.ts";
import { heardText, inputStations, numberOf, type Station, slotStation } from "./stations.ts";
import { TriedDeck } from "./tried-deck.ts";

interface TourOptions {
  readonly unit: UsbUnit;
  readonly model: Model;
  readonly bus: DeckBus;
  readonly clock: Clock;
  readonly person: Person;
  readonly encodeJpeg: EncodeJpeg;
  /** The picture of a number for a slot. */
  readonly picture: (number: number, slot: ModelSlot) => Pixels;
  /** Called after each step, so that nothing is lost whatever comes next. */
  readonly keep: () => void;
}

/** The wait for a hand; three in vain, and nobody is there. */
const PATIENCE_MS = 30_000;
const MOST_IN_VAIN = 3;
/** The wait for a plug to be pulled or put in. */
const PLUG_MS = 60_000;
/** Tries to open what was just plugged in, a quarter of a second apart. */
const OPENS = 20;
const DIM = 10;

type Result = Pick<ReportStep, "result" | "note">;
const OK: Result = { result: "ok", note: "" };

/** Leads a person and a deck through all that the deck has, and records it. */
export class DeckTour {
  readonly #options: TourOptions;
  readonly #recorder: Recorder;
  readonly #inbox: EventQueue;
  readonly #deck: TriedDeck;
  readonly #steps: ReportStep[] = [];
  /** The unit of this model that was plugged in last, since the tour began. */
  #came: UsbUnit | undefined;
  /** The requests to the person: those made, and all. */
  #asked = 0;
  readonly #toAsk: number;
  #inVain = 0;
  #doing = "";

  constructor(options: TourOptions) {
    const { clock, model, bus, encodeJpeg, person } = options;
    this.#options = options;
    const stations = model.slots.flatMap((slot) => slotStation(model, slot) ?? []);
    // Pictures and brightness, and the plug that is pulled and put in again.
    const others = model.slots.length > 0 ? 4 : 2;
    this.#toAsk = stations.length + inputStations(model).length + others;
    this.#recorder = new Recorder(clock, model.family);
    this.#inbox = new EventQueue(clock, person);
    const { inbox, recorder } = { inbox: this.#inbox, recorder: this.#recorder };
    this.#deck = new TriedDeck({ model, bus, clock, encodeJpeg, recorder, inbox });
  }

  /** The step that it is in, or was when it ended. */
  get doing(): string {
    return this.#doing;
  }

  /** The deck's own facts, the steps and the exchange, as far as it came. */
  report(): HardwareReport {
    const { leftOut } = this.#recorder;
    const tooMany = leftOut === 0 ? {} : { "left out": `${leftOut} lines of the exchange` };
    return {
      facts: { ...this.#deck.facts, ...tooMany },
      steps: this.#steps,
      exchange: this.#recorder.lines(),
    };
  }

  /** @throws {TourEnded} where it cannot go on, or is not to */
  async run(): Promise<void> {
    const { bus, unit, model } = this.#options;
    let isListed = false;
    const unwatch = await bus.watch({
      attached: (other) => {
        // Another deck of this model may have been there all the time.
        if (!isListed || other.vendor !== unit.vendor || other.product !== unit.product) return;
        this.#came = other;
        this.#inbox.put({ kind: "came" });
      },
      detached: ({ id }) => {
        if (id === unit.id) this.#inbox.put({ kind: "gone" });
      },
    });
    isListed = true;
    try {
      await this.#step("open", async () => {
        await this.#deck.open(unit, 1);
        await this.#deck.firmware();
        return OK;
      });
      for (const slot of model.slots) await this.#show(slot);
      if (model.slots.length > 0) await this.#look();
      for (const station of inputStations(model)) await this.#visit(station);
      if (await this.#unplug()) await this.#plug();
      await this.#deck.farewell();
    } finally {
      unwatch();
      this.#inbox.close();
      await this.#deck.close();
    }
  }

  async #show(slot: ModelSlot): Promise<void> {
    const { model, picture } = this.#options;
    await this.#step(`light ${slot.slot}`, async () => {
      await this.#deck.paint(slot.slot, picture(numberOf(model, slot), slot));
      return OK;
    });
    const station = slotStation(model, slot);
    if (station !== undefined) await this.#visit(station);
  }

  async #visit({ name, asks, isIt }: Station): Promise<void> {
    await this.#step(name, async () => {
      this.#request(asks);
      const others = new Set<string>();
      let hasBegun = false;
      const failed = (): Result => ({
        result: "failed",
        note: hasBegun ? "the end was not told" : `told as ${[...others].join(", ")}`,
      });
      for (;;) {
        const next = await this.#next(PATIENCE_MS);
        if (next.kind === "heard") {
          const it = isIt(next);
          if (it === true) return OK;
          if (it === "begun") hasBegun = true;
          else if (next.what !== "up" && others.size < MOST_OTHERS) {
            others.add(heardText(next));
            this.#say(
              `That was told as ${heardText(next)}. If you did as asked, type n and Enter.`,
            );
          }
        } else if (next.kind === "typed" && /^\s*n/i.test(next.line))
          return hasBegun || others.size > 0
            ? failed()
            : { result: "failed", note: "nothing came" };
        else if (next.kind === "typed") return { result: "skipped", note: "" };
        else if (next.kind === "time") return hasBegun ? failed() : this.#nothing();
      }
    });
  }

  /** Pictures and brightness, which only a person can judge. */
  async #look(): Promise<void> {
    await this.#step("pictures", () =>
      this.#ask("Is each number upright, sharp and in its place? Type y or n, and Enter."),
    );
    await this.#step("brightness", async () => {
      await this.#deck.setBrightness(DIM);
      const seen = await this.#ask("The deck is to be dim now. Is it? Type y or n, and Enter.");
      await this.#deck.setBrightness();
      return seen;
    });
  }

  /** @returns whether it was unplugged */
  async #unplug(): Promise<boolean> {
    const { result } = await this.#step("unplug", async () => {
      this.#request("Unplug the deck.");
      return this.#until("gone");
    });
    if (result === "ok") await this.#deck.close();
    return result === "ok";
  }

  async #plug(): Promise<void> {
    const { model, picture } = this.#options;
    await this.#step("plug", async () => {
      this.#request("Plug it in again.");
      const came = this.#came === undefined ? await this.#until("came") : OK;
      const unit = this.#came;
      if (unit === undefined) throw new TourEnded("The deck did not come back.", true);
      const { clock } = this.#options;
      const began = clock.monotonic();
      await this.#deck.open(unit, OPENS);
      const [first] = model.slots;
      if (first !== undefined) await this.#deck.paint(first.slot, picture(1, first));
      return { ...came, note: `usable after ${Math.round(clock.monotonic() - began)} ms` };
    });
  }

  async #ask(question: string): Promise<Result> {
    this.#request(question);
    for (;;) {
      const next = await this.#next(PATIENCE_MS);
      if (next.kind === "time") return this.#nothing();
      if (next.kind !== "typed") continue;
      if (/^\s*y/i.test(next.line)) return OK;
      return /^\s*n/i.test(next.line)
        ? { result: "failed", note: "by the person's eye" }
        : { result: "skipped", note: "" };
    }
  }

  async #until(kind: "gone" | "came"): Promise<Result> {
    for (;;) {
      const next = await this.#inbox.next(PLUG_MS);
      if (next.kind === kind) return OK;
      if (next.kind === "typed") return { result: "skipped", note: "" };
      if (next.kind === "time") return this.#nothing();
    }
  }

  #nothing(): Result {
    this.#inVain += 1;
    if (this.#inVain >= MOST_IN_VAIN) throw new TourEnded("Nobody seems to be there.");
    return { result: "skipped", note: "nothing came" };
  }

  /** The next of a deck that has to be there. @throws {TourEnded} */
  async #next(ms: number) {
    const next = await this.#inbox.next(ms);
    if (next.kind === "gone") throw new TourEnded("The deck went away.", true);
    if (next.kind !== "time") this.#inVain = 0;
    return next;
  }

  async #step(name: string, work: () => Promise<Result>): Promise<Result> {
    const { clock, keep } = this.#options;
    this.#doing = name;
    this.#inbox.clear();
    const began = clock.monotonic();
    const note = (done: Result) =>
      this.#steps.push({ name, ...done, ms: Math.round(clock.monotonic() - began) });
    let done: Result;
    try {
      done = await work();
    } catch (error) {
      const isDecks = !(error instanceof TourEnded) || error.isDecks;
      note({ result: isDecks ? "failed" : "skipped", note: messageOf(error) });
      throw error;
    }
    note(done);
    if (done.result !== "ok") this.#say(`  ${name}: ${done.result}`);
    keep();
    return done;
  }

  #request(what: string): void {
    this.#asked += 1;
    this.#say(`${what} (${this.#asked} of ${this.#toAsk})`);
  }

  #say(line: string): void {
    this.#options.person.say(line);
  }
}

/** Other words that are told while one is awaited. */
const MOST_OTHERS = 3;
