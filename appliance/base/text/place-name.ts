const NAMES: Readonly<Record<string, string>> = {
  k: "Key",
  z: "Zone",
  d: "Dial",
  b: "Button",
  t: "Touch point",
};

/** `Key 3`, `Zone 1` or `Dial 2`: what a person calls the place `k2`, `z0` or `d1` of a deck. */
export function placeName(id: string): string {
  return `${NAMES[id.charAt(0)] ?? "Place"} ${Number(id.slice(1)) + 1}`;
}
