/** The map as the build draws it, see scripts/atlas.ts. */
export interface DrawnAtlas {
  /** in units of the map, as everything here */
  readonly width: number;
  readonly height: number;
  /** paths: the whole earth, and each country by its two letters; land without letters has none */
  readonly sea: string;
  readonly countries: Readonly<Record<string, string>>;
  /** ten degrees of latitude apart, from the south: units for each degree of longitude from the middle, and the height */
  readonly parallels: readonly (readonly [scale: number, y: number])[];
}

/** A zone of IANA's, its place on the map, and its countries' letters, the first one's own before others. */
export type PlacedZone = readonly [name: string, x: number, y: number, countries: string];
