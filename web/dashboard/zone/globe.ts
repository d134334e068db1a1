import { geoNaturalEarth1, geoPath } from "d3-geo";
import { feature } from "topojson-client";
import atlas from "world-atlas/countries-110m.json";

export const WIDTH = 720;
export const HEIGHT = 360;

export const projection = geoNaturalEarth1().fitExtent(
  [
    [4, 4],
    [WIDTH - 4, HEIGHT - 4],
  ],
  { type: "Sphere" },
);
export const draw = geoPath(projection);

/** Outlines as paths of the map. */
export const seaPath = (): string => draw({ type: "Sphere" }) ?? "";
export const landPath = (): string => draw(feature(atlas, atlas.objects.land)) ?? "";

/** The outline of each country by its two letters; the atlas has no outlines of the smallest. */
export function countryPaths(): Map<string, string> {
  const { features } = feature(atlas, atlas.objects.countries);
  return new Map(features.map((shape) => [String(shape.id ?? ""), draw(shape) ?? ""]));
}
