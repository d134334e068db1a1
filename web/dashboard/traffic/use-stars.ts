import { useState } from "preact/hooks";
import { isObject } from "../../../appliance/base/input/json.ts";
import { keepChoice, loadChoice } from "../../shared/token.ts";

/** A value whose row has a star. */
export interface Star {
  dimension: string;
  value: string;
}

const MAX_STARS = 24;

/**
 * The starred values of a site, kept in this browser; where it keeps nothing, for as long as the
 * page is open.
 */
export function useStars(
  site: string,
  onKept: (isKept: boolean) => void,
): [Star[], toggle: (star: Star) => void] {
  const [held, hold] = useState(() => ({ site, stars: load(site) }));
  const stars = held.site === site ? held.stars : load(site);
  if (held.site !== site) hold({ site, stars });
  const toggle = ({ dimension, value }: Star) => {
    const others = stars.filter((one) => one.dimension !== dimension || one.value !== value);
    const changed =
      others.length < stars.length ? others : [...stars, { dimension, value }].slice(-MAX_STARS);
    hold({ site, stars: changed });
    onKept(keepChoice(`stars.${site}`, JSON.stringify(changed)));
  };
  return [stars, toggle];
}

function load(site: string): Star[] {
  try {
    const stored: unknown = JSON.parse(loadChoice(`stars.${site}`) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isStar).slice(0, MAX_STARS) : [];
  } catch {
    return [];
  }
}

function isStar(thing: unknown): thing is Star {
  return isObject(thing) && typeof thing.dimension === "string" && typeof thing.value === "string";
}
