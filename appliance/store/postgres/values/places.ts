import type { Day } from "../../../base/calendar.ts";
import { OTHER } from "../../../base/names.ts";
import { FIXED_DIMENSIONS, type SiteKey } from "../../counting.ts";

/** A dimension of a site on a day. */
export interface Place {
  readonly site: SiteKey;
  readonly day: Day;
  readonly dimension: string;
}

/** A value that is to be counted. */
export interface WantedValue extends Place {
  readonly text: string;
}

/** OTHER is always taken in, and dimensions whose values are few. */
export function isBounded({ dimension, text }: Pick<WantedValue, "dimension" | "text">): boolean {
  return text !== OTHER && !FIXED_DIMENSIONS.has(dimension);
}

export function siteKey({ site, dimension }: Omit<Place, "day">): string {
  return `${site}\0${dimension}`;
}

export function placeKey({ site, dimension, day }: Place): string {
  return `${site}\0${dimension}\0${day}`;
}

export function textKey({ site, dimension, text }: Omit<WantedValue, "day">): string {
  return `${site}\0${dimension}\0${text}`;
}

export function unique<T>(all: readonly T[], key: (each: T) => string): T[] {
  return [...new Map(all.map((each) => [key(each), each])).values()];
}
