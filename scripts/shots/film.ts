import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import type { Frame } from "./animated-webp.ts";
import { shot } from "./shot.ts";

/** A part of a picture, in shares of its width and height. */
export interface Place {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

type Point = readonly [x: number, y: number];

const PAGE = readFileSync(join(import.meta.dirname, "visit.html"), "utf8");
/** The pointer's first place, in CSS pixels, and the number of its steps to another. */
const REST: Point = [340, 330];
const STEPS = 7;
const STEP_MS = 60;
const TENTH_MS = 100;
/** Time to read the last frame. */
const LAST_MS = 3_500;

/** Lays screenshots of a visitor's browser and of a deck side by side, and takes the frames. */
export class Film {
  static readonly SIZE = [960, 396] as const;
  /** Pixels for each CSS pixel, as good screens have them. With it, offsets of frames are even. */
  static readonly SCALE = 2;
  readonly frames: Frame[] = [];
  readonly #page: Page;
  #pointer = REST;

  /** @param page an empty one of the film's size */
  constructor(page: Page) {
    this.#page = page;
  }

  async open(): Promise<void> {
    await this.#page.setContent(PAGE);
    await this.#point(REST);
  }

  /** @param still a WebP file @param address of a page */
  async show(part: "#page" | "#deck", still: Buffer, address?: string): Promise<void> {
    const src = `data:image/webp;base64,${still.toString("base64")}`;
    await this.#page.locator(part).evaluate((image, src) => image.setAttribute("src", src), src);
    if (address !== undefined) await this.#write(".address", address);
  }

  /** Adds a frame, of a part where only that has changed. */
  async take(ms: number, part = "body"): Promise<void> {
    const box = await this.#page.locator(part).boundingBox();
    if (box === null) throw new Error(`The film has no ${part}.`);
    const at = [box.x, box.y, box.width, box.height].map((n) => n * Film.SCALE) as [...Frame["at"]];
    this.frames.push({ still: await shot(this.#page, part, Film.SCALE), at, ms: Math.round(ms) });
  }

  /** Moves the pointer onto what lies on the visitor's page. */
  async pointAt(link: Locator): Promise<void> {
    const page = await this.#page.locator("#page").boundingBox();
    const box = await link.boundingBox();
    if (page === null || box === null) throw new Error("There is nothing to point at.");
    const to: Point = [page.x + box.x + box.width / 2, page.y + box.y + box.height / 2];
    const from = this.#pointer;
    for (let step = 1; step <= STEPS; step += 1) {
      // It slows down, as a hand does.
      const share = 1 - (1 - step / STEPS) ** 2;
      await this.#point([from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])]);
      await this.take(step === STEPS ? 600 : STEP_MS, "#visitor");
    }
  }

  /**
   * Counts tenths of a second.
   * @param from milliseconds since the press @param to where it ends
   * @param first the part that the first frame shows
   */
  async count(from: number, to: number, first = "#says"): Promise<void> {
    for (let at = from; at < to; at += TENTH_MS) {
      await this.#write("#says", secondsOf(at));
      await this.take(Math.min(TENTH_MS, to - at), at === from ? first : "#says");
    }
  }

  /** @param at milliseconds since the press @param place of the key that has changed, on the deck */
  async end(at: number, { left, top, width, height }: Place): Promise<void> {
    await this.#write("#says", `${secondsOf(at)} later`);
    const style = Object.entries({ left, top, width, height })
      .map(([name, share]) => `${name}: ${100 * share}%`)
      .join(";");
    const ring = this.#page.locator("#ring");
    await ring.evaluate((ring, style) => ring.setAttribute("style", style), style);
    await this.take(LAST_MS, "#desk");
  }

  async #point([x, y]: Point): Promise<void> {
    const style = `left: ${x.toFixed(1)}px; top: ${y.toFixed(1)}px`;
    const pointer = this.#page.locator("#pointer");
    await pointer.evaluate((pointer, style) => pointer.setAttribute("style", style), style);
    this.#pointer = [x, y];
  }

  async #write(part: string, text: string): Promise<void> {
    await this.#page.locator(part).evaluate((element, text) => {
      element.textContent = text;
    }, text);
  }
}

function secondsOf(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
