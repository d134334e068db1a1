import { type AccessPoint, quietestChannels } from "./channels.ts";
import type { OwnNetwork } from "./radio.ts";

/** Signs that nobody takes for another one. */
const LETTERS = "abcdefghjkmnpqrstuvwxyz";
const ENDINGS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";
/** Letters that no hexadecimal number has. A key without one could be read as such a number. */
const BEYOND = "ghjkmnpqrstuvwxyz";
const KEY_LENGTH = 10;

/**
 * A network of the box's own, new for each set-up, so that nobody knows it from an earlier one. Its channel is the one with
 * the least of others, and drawn where that is several.
 * @param below gives a random whole number from 0 to less than its argument
 */
export function makeOwnNetwork(
  below: (end: number) => number,
  heard: readonly AccessPoint[],
): OwnNetwork {
  const draw = (signs: string, length: number) =>
    Array.from({ length }, () => signs.charAt(below(signs.length))).join("");
  const key = draw(LETTERS, KEY_LENGTH - 1);
  const at = below(KEY_LENGTH);
  const channels = quietestChannels(heard);
  return {
    name: `Tallydeck-${draw(ENDINGS, 4)}`,
    key: key.slice(0, at) + draw(BEYOND, 1) + key.slice(at),
    channel: channels[below(channels.length)] ?? 1,
  };
}
