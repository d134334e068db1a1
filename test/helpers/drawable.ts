import { isDrawable } from "../../appliance/deck/push/text.ts";

/** Every character a text can still hold after its cleanup, but for the newline. */
export function drawableCharacters(): string[] {
  const all = Array.from({ length: 0x10000 }, (_, code) => String.fromCodePoint(code));
  return all.filter(isDrawable);
}
