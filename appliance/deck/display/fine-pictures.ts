import type { Drawing } from "./drawing.ts";

type Paintable = Pick<Drawing, "fine">;

/** The most that is kept: all keys of some decks, and a few where each shows a photo. */
const MAX_BYTES = 4 * 1_048_576;

interface Kept {
  readonly scale: number;
  readonly png: Promise<Uint8Array>;
  /** 0 until it is painted. */
  bytes: number;
}

/** Pictures for screens that are finer than keys. The last ones are kept. */
export class FinePictures {
  /** By drawing, the one asked for last at the end. */
  readonly #kept = new Map<Paintable, Kept>();

  /** The picture as a PNG. @param scale pixels for each pixel of the slot, in each direction */
  png(drawing: Paintable, scale: number): Promise<Uint8Array> {
    const known = this.#kept.get(drawing);
    const kept = known?.scale === scale ? known : this.#paint(drawing, scale);
    this.#kept.delete(drawing);
    this.#kept.set(drawing, kept);
    return kept.png;
  }

  #paint(drawing: Paintable, scale: number): Kept {
    const png = drawing.fine(scale);
    const kept: Kept = { scale, png, bytes: 0 };
    png.then(
      ({ length }) => {
        kept.bytes = length;
        this.#forgetOldest();
      },
      // The next who asks may have better luck.
      () => this.#kept.get(drawing) === kept && this.#kept.delete(drawing),
    );
    return kept;
  }

  #forgetOldest(): void {
    let bytes = [...this.#kept.values()].reduce((sum, kept) => sum + kept.bytes, 0);
    for (const [drawing, kept] of this.#kept) {
      if (bytes <= MAX_BYTES) return;
      bytes -= kept.bytes;
      this.#kept.delete(drawing);
    }
  }
}
