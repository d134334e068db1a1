// The build puts what scripts/atlas.ts draws in the place of these files.

declare module "world-atlas/countries-110m.json" {
  const atlas: import("./drawn.ts").DrawnAtlas;
  export default atlas;
}

declare module "moment-timezone/data/meta/latest.json" {
  const zones: readonly import("./drawn.ts").PlacedZone[];
  export default zones;
}
