import type { Face } from "../face/face.ts";
import type { Feedback } from "../face/feedback.ts";
import { paint } from "../face/paint.ts";
import { giveBack } from "../pixel-memory.ts";
import type { Pixels } from "../pixels.ts";

/** Pixels of the picture for each of the slot, in each direction: screens may have finer ones. */
export type Scale = 1 | 2;

/**
 * A face, perhaps with the result of a press over it, which is painted when its pixels are first needed. A drawing may be
 * kept; do not keep its pixels.
 */
export class Drawing {
  readonly #face: Face;
  readonly #size: { width: number; height: number };
  readonly #feedback: Feedback | undefined;
  readonly #pixels = new Map<Scale, Pixels>();

  constructor(face: Face, size: { width: number; height: number }, feedback?: Feedback) {
    this.#face = face;
    this.#feedback = feedback;
    this.#size = size;
  }

  pixels(scale: Scale = 1): Pixels {
    const pixels = this.#pixels.get(scale) ?? paint(this.#face, this.#size, this.#feedback, scale);
    this.#pixels.set(scale, pixels);
    return pixels;
  }

  /** Frees the pixels of a drawing that is not shown any more. They are painted again if they are needed. */
  drop(): void {
    for (const pixels of this.#pixels.values()) giveBack(pixels.data);
    this.#pixels.clear();
  }
}
