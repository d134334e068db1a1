import atlas from "world-atlas/countries-110m.json";

const { width, height, parallels } = atlas;

export const VIEW_BOX = `0 0 ${width} ${height}`;

export const SEA = atlas.sea;
export const LAND = Object.values(atlas.countries).join("");

/** The outline of a country by its two letters; the atlas has none of the smallest. */
export const outlineOf = (country: string): string | undefined =>
  /^[A-Z]{2}$/.test(country) ? atlas.countries[country] : undefined;

/** The path of the strip between two meridians, in degrees, less than a turn apart. */
export function stripPath(from: number, to: number): string {
  // Around the edge of the map, a part of it is on the other side.
  return [-360, 0, 360]
    .map((turn) => [Math.max(-180, from + turn), Math.min(180, to + turn)] as const)
    .filter(([left, right]) => left < right)
    .map(([left, right]) => {
      const side = (longitude: number) =>
        parallels.map(
          ([scale, y]) => `${(width / 2 + longitude * scale).toFixed(1)} ${y.toFixed(1)}`,
        );
      return `M${[...side(left), ...side(right).reverse()].join("L")}Z`;
    })
    .join("");
}
