import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { senseless } from "../../appliance/deck/hardware/recorder.ts";
import type { ExchangeLine, HardwareReport } from "../../appliance/deck/hardware/report.ts";
import { bytesText, pictureAt, textBytes } from "../../appliance/deck/hardware/report-bytes.ts";
import { openDriver } from "../../appliance/deck/usb/connection.ts";
import type { DeckDriver, HidHandle } from "../../appliance/deck/usb/driver.ts";
import type { Model } from "../../appliance/deck/usb/model.ts";
import { modelById } from "../../appliance/deck/usb/models.ts";

/** A deck that does again what a report of hardware says it did, and refuses reports that it did not get then. */
class ReplayedDeck extends EventEmitter implements HidHandle {
  readonly #family: Model["family"];
  #lines: ExchangeLine[] = [];
  /** Words of the driver that have to follow. */
  readonly heard: string[] = [];

  constructor(family: Model["family"]) {
    super();
    this.#family = family;
  }

  /** Lines of one call. */
  begin(lines: readonly ExchangeLine[]): void {
    this.#lines = [...lines];
    this.#tell();
  }

  end(call: string): void {
    // The call has failed by itself, as it did then; hands went on after it.
    if (this.#lines[0]?.kind === "failed") this.#lines.shift();
    this.#tell();
    const left = this.#lines.filter(({ kind }) => kind !== "draw");
    assert.deepEqual(left, [], `the driver sent less at “${call}”`);
  }

  /** The next picture, as large as it was. */
  jpeg(): Uint8Array {
    const size = this.#take("jpeg");
    assert.match(size, /^\d{1,6}$/, "no picture has this size");
    return Buffer.alloc(Number(size), 0xaa);
  }

  async write(report: Buffer): Promise<number> {
    this.#expect("out", report, pictureAt(this.#family, report));
    return report.length;
  }

  async sendFeatureReport(report: Buffer): Promise<number> {
    this.#expect("set", report);
    return report.length;
  }

  async getFeatureReport(id: number, length: number): Promise<Buffer> {
    const text = this.#take("get");
    const asked = `${id.toString(16).padStart(2, "0")} ${length} `;
    assert.ok(text.startsWith(asked), `the driver asked ${asked}, and not ${text}`);
    const [how, ...rest] = text.slice(asked.length).split(" ");
    if (how === "!") throw new Error(rest.join(" "));
    return textBytes(rest.join(" "));
  }

  async close(): Promise<void> {}

  #send(report: Buffer): void {
    try {
      this.emit("data", report);
    } catch (error) {
      this.heard.push(senseless(error));
    }
  }

  #expect(kind: "out" | "set", report: Buffer, picture = report.length): void {
    const then = textBytes(this.#take(kind));
    const text = (bytes: Buffer) => bytesText(bytes, { picture });
    assert.equal(text(report), text(then), "the driver sent another report");
    this.#tell();
    if (this.#lines[0]?.kind === "failed") throw new Error(this.#take("failed"));
  }

  #take(kind: ExchangeLine["kind"]): string {
    this.#tell();
    // The order in which several slots are drawn is the test's own.
    while (this.#lines[0]?.kind === "draw") this.#lines.shift();
    const line = this.#lines.shift();
    assert.equal(line?.kind, kind, `the driver did something else than at ${line?.ms} ms`);
    return line?.text ?? "";
  }

  /** Sends what the deck sent next, and looks at what the driver makes of it. */
  #tell(): void {
    for (let next = this.#lines[0]; next !== undefined; next = this.#lines[0]) {
      if (!["in", "heard", "gone"].includes(next.kind)) return;
      this.#lines.shift();
      if (next.kind === "in") this.#send(textBytes(next.text));
      else if (next.kind === "heard") assert.equal(this.heard.shift(), next.text);
      else this.emit("error", next.text);
    }
  }
}

/** Runs our driver against the deck of a report: each call again, each report compared. @returns the words it heard */
export async function replay({ facts, exchange }: HardwareReport): Promise<string[]> {
  const model = modelById(facts.model ?? "") ?? assert.fail(`no model ${facts.model}`);
  const all: string[] = [];
  let deck = new ReplayedDeck(model.family);
  let driver: DeckDriver | undefined;
  for (const { call, lines } of callsOf(exchange)) {
    const heard = (text: string) => {
      all.push(text);
      deck.heard.push(text);
    };
    const [name = "", argument = ""] = call.split(" ");
    const open = async () => {
      deck = new ReplayedDeck(model.family).on("error", () => {}) as ReplayedDeck;
      deck.begin(lines);
      const bytes = Number.parseInt(facts["output report"] ?? "", 10);
      driver = await openDriver({
        hid: deck,
        model,
        outputBytes: Number.isNaN(bytes) ? undefined : bytes,
        usbSerial: "",
        encodeJpeg: async () => deck.jpeg(),
        onInput: ({ what, place, by = "" }) => heard(`${what} ${place} ${by}`.trim()),
      });
    };
    const again = async () => {
      if (name === "open") return open();
      deck.begin(lines);
      await callOf(driver ?? assert.fail("nothing is open"), name, { argument, lines, model });
    };
    if (lines.some(({ kind }) => kind === "failed")) await assert.rejects(again());
    else await again();
    deck.end(call);
  }
  return all;
}

interface Call {
  readonly argument: string;
  readonly lines: readonly ExchangeLine[];
  readonly model: Model;
}

async function callOf(driver: DeckDriver, name: string, { argument, lines, model }: Call) {
  const slots = lines.filter(({ kind }) => kind === "draw").map(({ text }) => text);
  const pictures = slots.map((slot) => {
    const { width, height } =
      model.slots.find((known) => known.slot === slot) ?? assert.fail(`no slot ${slot}`);
    return { slot, pixels: { width, height, data: new Uint8ClampedArray(width * height * 4) } };
  });
  const next = pictures.values();
  switch (name) {
    case "firmware":
      return driver.firmware();
    case "initialise":
      return driver.initialise(Number(argument));
    case "brightness":
      return driver.setBrightness(Number(argument));
    case "beat":
      return driver.heartbeat?.beat(Number(argument));
    case "paint":
      return driver.paint(() => next.next().value);
    case "farewell":
      return driver.farewell();
    default:
      assert.fail(`there is no call ${name}`);
  }
}

/** The calls of an exchange, each with the lines until the next one. */
function callsOf(exchange: readonly ExchangeLine[]): { call: string; lines: ExchangeLine[] }[] {
  const calls: { call: string; lines: ExchangeLine[] }[] = [];
  for (const line of exchange)
    if (line.kind === "do") calls.push({ call: line.text, lines: [] });
    else calls.at(-1)?.lines.push(line);
  return calls;
}
