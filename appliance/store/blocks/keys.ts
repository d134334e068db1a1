import { MAX_DIMENSIONS } from "../log/record.ts";
import { MAX_DAYS } from "./dictionary.ts";

// The keys of a block's items in its frames. A dimension is known by its place in DIMENSIONS, so that a
// piece says which it has.

const KEYS_OF_DAY = MAX_DIMENSIONS + 2;

export const HOURS_KEY = 0;
export const BITS_KEY = 1;

/** Keys are below it. */
export const COUNTS_KEYS = 2 * MAX_DIMENSIONS;
export const DETAIL_KEYS = KEYS_OF_DAY * MAX_DAYS;

export function textsKey(dimension: number): number {
  return 2 * dimension;
}

export function countsKey(dimension: number): number {
  return 2 * dimension + 1;
}

export function columnKey(dimension: number): number {
  return 2 + dimension;
}

/** Of a day of the month, from 0. */
export function keyOfDay(day: number, key: number): number {
  return KEYS_OF_DAY * day + key;
}
