// The build puts what scripts/atlas.ts draws in the place of these files.

declare module "world-atlas/countries-110m.json" {
  interface DrawnAtlas {
    /** in units of the map, as everything here */
    readonly width: number;
    readonly height: number;
    /** paths: the whole earth, and each country by its two letters; land without letters has none */
    readonly sea: string;
    readonly countries: Readonly<Record<string, string>>;
    /** ten degrees of latitude apart, from the south: units for each degree of longitude from the middle, and the height */
    readonly parallels: readonly (readonly [scale: number, y: number])[];
  }

  const atlas: DrawnAtlas;
  export default atlas;
}

declare module "moment-timezone/data/meta/latest.json" {
  /** A name, its place on the map, and its countries' letters, the first one's own before others. */
  const zones: readonly (readonly [name: string, x: number, y: number, countries: string])[];
  export default zones;
}
