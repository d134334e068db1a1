import type { Face } from "../face/face.ts";
import type { Feedback } from "../face/feedback.ts";
import { paint, paintFine } from "../face/paint.ts";
import { giveBack } from "../pixel-memory.ts";
import type { Pixels } from "../pixels.ts";

/**
 * A face, perhaps with the result of a press over it, which is painted when its pixels are first needed. A drawing may be
 * kept; do not keep its pixels.
 */
export class Drawing {
  readonly #face: Face;
  readonly #size: { width: number; height: number };
  readonly #feedback: Feedback | undefined;
  #pixels: Pixels | undefined;

  constructor(face: Face, size: { width: number; height: number }, feedback?: Feedback) {
    this.#face = face;
    this.#feedback = feedback;
    this.#size = size;
  }

  pixels(): Pixels {
    this.#pixels ??= paint(this.#face, this.#size, this.#feedback);
    return this.#pixels;
  }

  /** The same with more pixels as a PNG, painted each time: `FinePictures` keeps the last ones. */
  fine(scale: number): Promise<Uint8Array> {
    return paintFine(this.#face, this.#size, { feedback: this.#feedback, scale });
  }

  /** Frees the pixels of a drawing that is not shown any more. They are painted again if they are needed. */
  drop(): void {
    if (this.#pixels !== undefined) giveBack(this.#pixels.data);
    this.#pixels = undefined;
  }
}
