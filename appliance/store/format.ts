/** The format of kept data, and of the oldest code that may use it. */
export interface DataFormat {
  /** The number of the newest file of the schema. */
  readonly format: number;
  /**
   * The oldest format whose code can read and write this one without harm, so that a release may be undone. It
   * stays the same while a format only adds: a table, an index that is not unique, a column that needs no value,
   * and values that the older code and its rules for copies (`copy-rules`) accept. A format that does more raises
   * it to its own number.
   */
  readonly readableBy: number;
}

/** The format of a box's own file, which releases have in their manifest. */
export const DATA_FORMAT: DataFormat = { format: 1, readableBy: 1 };

/**
 * The format of a PostgreSQL database. No release may break it: collectors of several releases share it, and it
 * cannot be taken back.
 */
export const FLEET_FORMAT: DataFormat = { format: 1, readableBy: 1 };

/** The key of `readableBy` in a database's table `meta`. */
export const READABLE_BY = "readable_by";

/** @param noted the entry in `meta`, which the first databases lack */
export function formatOf(format: number, noted: unknown): DataFormat {
  const oldest = Number(noted ?? format);
  const isOne = Number.isSafeInteger(oldest) && oldest >= 1 && oldest <= format;
  return { format, readableBy: isOne ? oldest : format };
}

/** The `readableBy` to note for data of `format`, by code whose format is `own`. */
export function readableAt(format: number, own: DataFormat): number {
  return Math.min(format, own.readableBy);
}

/** Whether code of the format `own` may use the data. */
export function isUsable(data: DataFormat, own: DataFormat): boolean {
  return data.readableBy <= own.format;
}

/** The middle of a sentence: the format that newer data needs, and the one that this version has. */
export function needs({ format, readableBy }: DataFormat, own: DataFormat): string {
  return `its format ${format} needs a version that has format ${readableBy}, and this one has ${own.format}`;
}
