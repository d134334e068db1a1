import { createHash } from "node:crypto";
import { BOUNDS } from "../../base/bounds.ts";
import { type Documents, documentKind, objectOf } from "../../base/documents.ts";
import { Refusal } from "../../base/refusal.ts";
import { Signal } from "../../base/signal.ts";
import { Mutex } from "../../base/tasks/mutex.ts";
import type { FittedImage } from "../face/face-context.ts";
import { broken, checkImageFile } from "../face/image-file.ts";
import { fitImage } from "../face/paint.ts";
import type { Pixels } from "../pixels.ts";

/** Pictures that keys show, by the SHA-256 of their file: PNG or JPEG, as it was uploaded. */
export const IMAGES = documentKind<object>("image", objectOf({}), {
  idPattern: "^[0-9a-f]{64}$",
  hasFile: true,
  bound: BOUNDS.images,
  inBackup: "kept",
});

interface Size {
  width: number;
  height: number;
}

const { count: MAX_IMAGES, together: MAX_BYTES } = BOUNDS.images;
/** Pictures at the size of a slot that are held in memory: a page of a large deck. */
const MAX_FITTED = 32;

/** The pictures of keys. Files stay in the store; visible pictures are kept in memory, at the slot's size. */
export class Images {
  /** Emits the name of a picture that was opened, or is missing. */
  readonly changed = new Signal<string>();
  readonly #documents: Documents<object>;
  /** Images are opened one at a time, since each takes memory. */
  readonly #mutex = new Mutex();
  readonly #fitted = new Map<string, FittedImage | "missing" | "opening">();
  /** Bytes of each file, the oldest first. */
  #sizes: ReadonlyMap<string, number> = new Map();

  constructor(documents: Documents<object>) {
    this.#documents = documents;
  }

  /** Reads the list of pictures, at first and after changes by others. */
  async load(): Promise<void> {
    const list = await this.#documents.list();
    this.#sizes = new Map(list.map(({ id, size }) => [id, size]));
    this.#fitted.clear();
  }

  has(hash: string): boolean {
    return this.#sizes.has(hash);
  }

  /**
   * Stores a picture. At the limit, pictures that no key shows are deleted.
   * @param used the names of pictures that a key shows, on any deck and page
   * @returns its name
   * @throws {Refusal} `invalid_image`, `image_limit`
   */
  add(file: Buffer, used: ReadonlySet<string>): Promise<string> {
    return this.#mutex.runExclusive(async () => {
      await opened(file, { width: 1, height: 1 });
      const hash = createHash("sha256").update(file).digest("hex");
      if (this.#sizes.has(hash)) return hash;
      const forget = this.#tooMany(file.length, used);
      await this.#documents.change({ put: [{ id: hash, body: {}, file }], remove: forget });
      const kept = [...this.#sizes].filter(([other]) => !forget.includes(other));
      this.#sizes = new Map([...kept, [hash, file.length]]);
      for (const key of this.#fitted.keys())
        if (key.startsWith(hash) || forget.some((gone) => key.startsWith(gone)))
          this.#fitted.delete(key);
      return hash;
    });
  }

  /** A picture at a slot's size; undefined while it is being opened, until `changed`. */
  fitted(hash: string, { width, height }: Size): FittedImage | "missing" | undefined {
    const key = `${hash} ${width}×${height}`;
    const known = this.#fitted.get(key);
    if (known === "opening") return undefined;
    if (known !== undefined) return known;
    this.#hold(key, "opening");
    this.#mutex
      .runExclusive(async () => this.#hold(key, await this.#open(hash, { width, height })))
      // An image that cannot be read is tried again after a restart, or a new upload.
      .catch(() => this.#hold(key, "missing"))
      .then(() => this.changed.emit(hash));
    return undefined;
  }

  async #open(hash: string, size: Size): Promise<FittedImage | "missing"> {
    const pixels = await this.#pixels(hash, size);
    if (pixels === undefined) return "missing";
    const finer = (scale: number) => ({ width: size.width * scale, height: size.height * scale });
    return {
      pixels,
      fine: (scale) => this.#mutex.runExclusive(() => this.#pixels(hash, finer(scale))),
      // Faces are compared by their JSON.
      toJSON: () => hash,
    };
  }

  async #pixels(hash: string, size: Size): Promise<Pixels | undefined> {
    const file = await this.#documents.file(hash);
    return file === null ? undefined : opened(Buffer.from(file), size);
  }

  #hold(key: string, value: FittedImage | "missing" | "opening"): void {
    this.#fitted.delete(key);
    this.#fitted.set(key, value);
    const idle = [...this.#fitted].filter(([, held]) => held !== "opening");
    for (const [oldest] of idle.slice(0, Math.max(0, this.#fitted.size - MAX_FITTED)))
      this.#fitted.delete(oldest);
  }

  /** The pictures to delete for so many bytes. @throws {Refusal} `image_limit` */
  #tooMany(bytes: number, used: ReadonlySet<string>): string[] {
    const forget: string[] = [];
    let count = this.#sizes.size + 1;
    let sum = bytes + [...this.#sizes.values()].reduce((all, size) => all + size, 0);
    for (const [hash, size] of this.#sizes) {
      if (count <= MAX_IMAGES && sum <= MAX_BYTES) break;
      if (used.has(hash)) continue;
      forget.push(hash);
      count -= 1;
      sum -= size;
    }
    if (count > MAX_IMAGES || sum > MAX_BYTES)
      throw new Refusal(
        "image_limit",
        `Keys show ${MAX_IMAGES} pictures, or 16 MB of them, already. Take one off a key first.`,
      );
    return forget;
  }
}

/** @throws {Refusal} `invalid_image` */
async function opened(file: Buffer, size: Size): Promise<Pixels> {
  // A stored image may come from a backup, so it is checked again before it is opened.
  checkImageFile(file);
  try {
    return await fitImage(file, size);
  } catch {
    throw broken();
  }
}
