// A batch is the addition of one transaction to the log, in the same bytes for every engine. All numbers are
// little-endian, as on every board that we support. It has a head of 16 bytes (format, bits, slots, records,
// texts, bytes of text); the dimension of each slot; where it is not dated, the boot and its saved zero; at a
// multiple of 8, columns of fixed width: moment, site, times (where one is not 1), the text of each slot, kind,
// flags; and the texts, with a NUL between two.

/** The bytes before the dimensions of slots. */
export const HEAD_BYTES = 16;
const ALIGN = 8;

interface Layout {
  readonly columnsAt: number;
  readonly records: number;
  readonly slots: number;
  readonly hasTimes: boolean;
  readonly textsAt: number;
}

/** The offsets of the columns and texts of a batch. */
export function layoutOf(layout: Omit<Layout, "textsAt">): Layout {
  const { columnsAt, records, slots, hasTimes } = layout;
  return { ...layout, textsAt: columnsAt + records * widthOf(slots, hasTimes) };
}

/** The bytes of a record in all columns. */
export function widthOf(slots: number, hasTimes: boolean): number {
  return 4 + 4 + (hasTimes ? 4 : 0) + 2 * slots + 1 + 1;
}

/** The columns of a batch, over its bytes. */
export interface Columns {
  readonly moments: Uint32Array;
  readonly sites: Int32Array;
  readonly times: Uint32Array | undefined;
  readonly texts: readonly Uint16Array[];
  readonly kinds: Uint8Array;
  readonly flags: Uint8Array;
}

/** Columns in their order: the widest first, so that each is aligned. */
export function columnsIn(
  buffer: ArrayBuffer,
  { columnsAt, records, slots, hasTimes }: Layout,
): Columns {
  let at = columnsAt;
  const next = (width: number) => {
    const from = at;
    at += width * records;
    return from;
  };
  return {
    moments: new Uint32Array(buffer, next(4), records),
    sites: new Int32Array(buffer, next(4), records),
    times: hasTimes ? new Uint32Array(buffer, next(4), records) : undefined,
    texts: Array.from({ length: slots }, () => new Uint16Array(buffer, next(2), records)),
    kinds: new Uint8Array(buffer, next(1), records),
    flags: new Uint8Array(buffer, next(1), records),
  };
}

/** The next place for columns. */
export function aligned(at: number): number {
  return Math.ceil(at / ALIGN) * ALIGN;
}

/** An error that says why bytes are none. */
export function noBatch(why: string): RangeError {
  return new RangeError(`These bytes are no batch of the log: ${why}`);
}
