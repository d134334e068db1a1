import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/message-of.ts";
import type { EncodeJpeg } from "../pixels.ts";
import type { DeckDriver, HidHandle } from "../usb/driver.ts";
import type { Model } from "../usb/model.ts";
import type { ExchangeLine } from "./report.ts";
import { bytesText, pictureAt } from "./report-bytes.ts";

/** A deck that floods its host is cut off here. */
const MOST_LINES = 20_000;
/** A serial number has at least so many characters. */
const SHORTEST_SERIAL = 3;

interface Recorded {
  readonly ms: number;
  readonly kind: ExchangeLine["kind"];
  /** @param secrets the serial numbers that are known by then */
  readonly text: (secrets: readonly string[]) => string;
}

/** Records all that a driver and its deck exchange, with pictures and serial numbers left out. */
export class Recorder {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #family: Model["family"];
  readonly #began: number;
  readonly #lines: Recorded[] = [];
  readonly #secrets = new Set<string>();
  #leftOut = 0;
  #isFirmware = false;

  constructor(clock: Pick<Clock, "monotonic">, family: Model["family"]) {
    this.#clock = clock;
    this.#family = family;
    this.#began = clock.monotonic();
  }

  /** The number of lines that were too many. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** A serial number, which no line may show. */
  hide(serial: string): void {
    const trimmed = serial.replaceAll("\0", "").trim();
    if (trimmed.length >= SHORTEST_SERIAL) this.#secrets.add(trimmed);
  }

  lines(): ExchangeLine[] {
    const secrets = [...this.#secrets];
    return this.#lines.map(({ ms, kind, text }) => ({ ms, kind, text: text(secrets) }));
  }

  note(kind: ExchangeLine["kind"], text: string): void {
    const isDevices = kind === "failed" || kind === "gone" || kind === "get";
    this.#add(kind, (secrets) => (isDevices ? without(secrets, text) : text));
  }

  /** A text that a device or a library told, without serial numbers. */
  clean(text: string): string {
    return without([...this.#secrets], text);
  }

  /** The same handle, every report of which is recorded. */
  handle(hid: HidHandle): HidHandle {
    const on = ((event: "data" | "error", listener: (told: unknown) => void) => {
      if (event === "error") {
        hid.on("error", (error) => {
          this.note("gone", messageOf(error));
          listener(error);
        });
      } else hid.on("data", (report) => this.#received(report, listener));
    }) as HidHandle["on"];
    return {
      on,
      write: (report) => {
        this.#add("out", (secrets) =>
          this.#bytes(report, secrets, pictureAt(this.#family, report)),
        );
        return hid.write(report);
      },
      sendFeatureReport: (report) => {
        this.#add("set", (secrets) => this.#bytes(report, secrets));
        return hid.sendFeatureReport(report);
      },
      getFeatureReport: (id, length) => this.#asked(hid, id, length),
      close: () => hid.close(),
    };
  }

  /** The same encoder; the sizes of its pictures are recorded. */
  encoder(encode: EncodeJpeg): EncodeJpeg {
    return async (pixels, options) => {
      const jpeg = await encode(pixels, options);
      this.note("jpeg", `${jpeg.length}`);
      return jpeg;
    };
  }

  /** The same driver, every call of which is recorded. */
  driver(driver: DeckDriver): DeckDriver {
    const { heartbeat } = driver;
    return {
      serial: driver.serial,
      repaintMs: driver.repaintMs,
      heartbeat: heartbeat && {
        ...heartbeat,
        beat: (brightness) => this.call(`beat ${brightness}`, () => heartbeat.beat(brightness)),
      },
      firmware: async () => {
        this.#isFirmware = true;
        return this.call("firmware", () => driver.firmware()).finally(() => {
          this.#isFirmware = false;
        });
      },
      initialise: (brightness) =>
        this.call(`initialise ${brightness}`, () => driver.initialise(brightness)),
      setBrightness: (percent) =>
        this.call(`brightness ${percent}`, () => driver.setBrightness(percent)),
      paint: (next) =>
        this.call("paint", () =>
          driver.paint(() => {
            const picture = next();
            if (picture !== undefined) this.note("draw", picture.slot);
            return picture;
          }),
        ),
      farewell: () => this.call("farewell", () => driver.farewell()),
    };
  }

  async call<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.note("do", name);
    try {
      return await work();
    } catch (error) {
      this.note("failed", messageOf(error));
      throw error;
    }
  }

  #received(report: Buffer, listener: (report: Buffer) => void): void {
    this.#add("in", (secrets) => this.#bytes(report, secrets));
    try {
      listener(report);
    } catch (error) {
      // The report is nonsense, or the driver is wrong: the tour goes on, and the file tells.
      this.note("heard", senseless(error));
    }
  }

  async #asked(hid: HidHandle, id: number, length: number): Promise<Buffer> {
    const question = `${hexByte(id)} ${length}`;
    const isFirmware = this.#isFirmware;
    try {
      const answer = await hid.getFeatureReport(id, length);
      this.#add("get", (secrets) => {
        const struck = new Set([
          ...placesOf(secrets, answer),
          ...(isFirmware ? [] : wordsIn(answer)),
        ]);
        return `${question} > ${bytesText(answer, { struck: (at) => struck.has(at) })}`;
      });
      return answer;
    } catch (error) {
      this.note("get", `${question} ! ${messageOf(error)}`);
      throw error;
    }
  }

  #bytes(report: Buffer, secrets: readonly string[], picture?: number): string {
    const struck = new Set(placesOf(secrets, report));
    return bytesText(report, {
      struck: (at) => struck.has(at),
      ...(picture !== undefined && { picture }),
    });
  }

  #add(kind: Recorded["kind"], text: Recorded["text"]): void {
    if (this.#lines.length >= MOST_LINES) {
      this.#leftOut += 1;
      return;
    }
    const ms = Math.round(this.#clock.monotonic() - this.#began);
    this.#lines.push({ ms, kind, text });
  }
}

/** The line for an input report at which a driver failed. */
export function senseless(error: unknown): string {
  return `nothing (${messageOf(error)})`;
}

function hexByte(value: number): string {
  return value.toString(16).padStart(2, "0");
}

function without(secrets: readonly string[], text: string): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, "?"), text);
}

/** The offsets of serial numbers in a report, in each form that USB has. */
function placesOf(secrets: readonly string[], report: Buffer): number[] {
  return secrets
    .flatMap((secret) => [Buffer.from(secret, "latin1"), Buffer.from(secret, "utf16le")])
    .flatMap((bytes) => {
      const places: number[] = [];
      for (let at = report.indexOf(bytes); at !== -1; at = report.indexOf(bytes, at + 1))
        for (let index = 0; index < bytes.length; index += 1) places.push(at + index);
      return places;
    });
}

/** The offsets of words of letters and digits, one of which may be a serial number. */
function wordsIn(report: Buffer): number[] {
  return [...report.toString("latin1").matchAll(/[0-9A-Za-z-]{3,}/g)].flatMap(
    ({ 0: word, index }) => Array.from({ length: word.length }, (_, at) => index + at),
  );
}
