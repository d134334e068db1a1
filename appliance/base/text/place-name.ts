const NAMES: Readonly<Record<string, string>> = {
  k: "Key",
  z: "Zone",
  d: "Dial",
  b: "Button",
  t: "Touch point",
};

/** The name of a place of a deck for people: `Key 3`, `Zone 1` or `Dial 2` for `k2`, `z0` or `d1`. */
export function placeName(id: string): string {
  return `${NAMES[id.charAt(0)] ?? "Place"} ${Number(id.slice(1)) + 1}`;
}
