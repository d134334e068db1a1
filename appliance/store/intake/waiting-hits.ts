import type { SiteKey, Stamp } from "../counting.ts";
import { BatchEncoder, MAX_BYTES } from "../log/batch.ts";
import type { Hit, HitRecord, Undated } from "../log/record.ts";
import { BareHits, MAX_BARE_BYTES } from "./bare-hits.ts";

/** The most memory of hits that wait for a commit, in bytes. */
export const MAX_WAITING_BYTES = 16 * 1024 * 1024;
/** The rest is for bare hits and for encoding, each for dated and undated hits. */
const TEXTS_BYTES = MAX_WAITING_BYTES - 2 * (MAX_BARE_BYTES + MAX_BYTES);
/** A saved clock that differs by more was set. */
const SAME_CLOCK_MS = 1_000;

/** A batch of the log as bytes, and how many hits it holds. */
interface Part {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly hits: number;
  /** Whether they came while the clock was unsure. */
  readonly isUndated: boolean;
}

/**
 * Hits that wait for a commit, as batches of the log that are bytes by now or still open. Bounded: where
 * MAX_WAITING_BYTES are near, a hit that is alike to none before loses its texts, and is counted all
 * the same.
 */
export class WaitingHits {
  readonly #parts: Part[] = [];
  #partBytes = 0;
  #dated = new OpenHits();
  #undated = new OpenHits();

  /** Bytes of memory that they take, about. */
  get bytes(): number {
    return this.#partBytes + this.#dated.bytes + this.#undated.bytes;
  }

  get hits(): number {
    const closed = this.#parts.reduce((sum, part) => sum + part.hits, 0);
    return closed + this.#dated.hits + this.#undated.hits;
  }

  /** The parts that are bytes by now, the oldest first. */
  get parts(): readonly Part[] {
    return this.#parts;
  }

  get isEmpty(): boolean {
    return this.hits === 0;
  }

  add(site: SiteKey, stamp: Stamp, { kind, flags, values }: Hit): void {
    const hasRoom = this.bytes < TEXTS_BYTES;
    if ("hour" in stamp) {
      const record = { site, kind, flags, moment: stamp.hour, times: 1, values };
      this.#keep(this.#dated.add(record, hasRoom));
      return;
    }
    const { boot, at, savedClock } = stamp;
    const undated = { boot, savedZero: savedClock - at };
    if (!this.#undated.isOf(undated)) {
      this.#keep(this.#undated.close());
      this.#undated = new OpenHits(undated);
    }
    const record = { site, kind, flags, moment: Math.floor(at / 1_000), times: 1, values };
    this.#keep(this.#undated.add(record, hasRoom));
  }

  /** Encodes the open batches. */
  close(): void {
    this.#keep(this.#undated.close());
    this.#keep(this.#dated.close());
  }

  /** Drops the oldest parts after their commit. */
  drop(parts: number): void {
    for (const { bytes } of this.#parts.splice(0, parts)) this.#partBytes -= bytes.length;
  }

  #keep(parts: readonly Part[]): void {
    for (const part of parts) {
      this.#parts.push(part);
      this.#partBytes += part.bytes.length;
    }
  }
}

const NONE: readonly Part[] = [];

/** Hits of one clock that are no bytes yet. */
class OpenHits {
  readonly #undated: Undated | undefined;
  readonly #encoder: BatchEncoder;
  #bare = new BareHits();

  constructor(undated?: Undated) {
    this.#undated = undated;
    this.#encoder = new BatchEncoder(undated);
  }

  get bytes(): number {
    return this.#encoder.memory + this.#bare.bytes;
  }

  get hits(): number {
    return this.#encoder.hits + this.#bare.hits;
  }

  isOf({ boot, savedZero }: Undated): boolean {
    const mine = this.#undated;
    return mine?.boot === boot && Math.abs(mine.savedZero - savedZero) <= SAME_CLOCK_MS;
  }

  /** @returns parts that became full */
  add(record: HitRecord, hasRoom: boolean): readonly Part[] {
    if (this.#encoder.add(record, hasRoom)) return NONE;
    if (hasRoom) return this.#addToNext(record);
    this.#bare.add(record);
    return NONE;
  }

  close(): Part[] {
    const bare = this.#bare;
    this.#bare = new BareHits();
    const full: Part[] = [];
    for (const record of bare.records())
      if (!this.#encoder.add(record)) full.push(...this.#addToNext(record));
    return [...full, ...this.#closeEncoder()];
  }

  #addToNext(record: HitRecord): Part[] {
    const full = this.#closeEncoder();
    this.#encoder.add(record);
    return full;
  }

  #closeEncoder(): Part[] {
    const { hits } = this.#encoder;
    if (hits === 0) return [];
    const bytes = this.#encoder.encode();
    this.#encoder.clear();
    return [{ bytes, hits, isUndated: this.#undated !== undefined }];
  }
}
