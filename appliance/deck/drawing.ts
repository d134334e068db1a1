import type { Face } from "./face/face.ts";
import type { Feedback } from "./face/feedback.ts";
import { paint } from "./face/paint.ts";
import type { Pixels } from "./pixels.ts";

/** A face, with what came of a press over it, that is drawn once somebody looks at it. */
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
}
