import type { Face } from "./face/face.ts";
import { paint } from "./face/paint.ts";
import type { Pixels } from "./pixels.ts";

/** A face that is drawn once somebody looks at it. */
export class Drawing {
  readonly #face: Face;
  readonly #size: { width: number; height: number };
  #pixels: Pixels | undefined;

  constructor(face: Face, size: { width: number; height: number }) {
    this.#face = face;
    this.#size = size;
  }

  pixels(): Pixels {
    this.#pixels ??= paint(this.#face, this.#size);
    return this.#pixels;
  }
}
