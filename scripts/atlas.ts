/**
 * Draws the atlas of the maps, of world-atlas, and the places of zones, of moment-timezone, so that browsers load outlines
 * of whole units, and neither a projection nor coordinates.
 */
import { readFile } from "node:fs/promises";
import { geoNaturalEarth1, geoPath } from "d3-geo";
import { feature } from "topojson-client";
import { presimplify, simplify, sphericalTriangleArea } from "topojson-simplify";
import type { GeometryCollection, Topology } from "topojson-specification";

/** The map, in units; sphere and all in it stay a few from its edges. */
const WIDTH = 800;
const HEIGHT = 400;
const EDGE = 4;
/** Points that change no more of an outline than about a unit of the map are left out (steradians). */
const LEAST_AREA = 6e-5;

/** Kosovo has letters without a number of ISO 3166-1, and visitors' countries use them, too. */
const KOSOVO = "XK";

const NAMES = new Intl.DisplayNames("en", { type: "region" });

const projection = geoNaturalEarth1().fitExtent(
  [
    [EDGE, EDGE],
    [WIDTH - EDGE, HEIGHT - EDGE],
  ],
  { type: "Sphere" },
);
const draw = geoPath(projection).digits(0);

/** @returns what web/dashboard/zone reads as `DrawnAtlas`. @param file `countries-*.json` of world-atlas */
export async function drawnAtlas(file: string) {
  type Countries = Topology<{ countries: GeometryCollection<{ name: string }> }>;
  const whole = JSON.parse(await readFile(file, "utf8")) as Countries;
  const atlas = simplify(presimplify(whole, sphericalTriangleArea), LEAST_AREA);
  const countries: Record<string, string> = {};
  for (const country of feature(atlas, atlas.objects.countries).features) {
    const letters = lettersOf(country.id, country.properties.name);
    countries[letters] = (countries[letters] ?? "") + short(draw(country) ?? "");
  }
  return {
    width: WIDTH,
    height: HEIGHT,
    sea: draw({ type: "Sphere" }) ?? "",
    countries,
    parallels: Array.from({ length: 19 }, (_, i) => {
      const [left, y] = placeOf(-180, -90 + i * 10);
      return [Number(((WIDTH / 2 - left) / 180).toFixed(4)), Number(y.toFixed(1))];
    }),
  };
}

/** @returns each as a `PlacedZone` there. @param file `meta/latest.json` of moment-timezone */
export async function placedZones(file: string) {
  type Zone = { name: string; lat: number; long: number; countries: string[] };
  const { zones } = JSON.parse(await readFile(file, "utf8")) as { zones: Record<string, Zone> };
  return Object.values(zones).map(({ name, lat, long, countries }) => {
    const [x, y] = placeOf(long, lat);
    return [name, Math.round(x), Math.round(y), countries.join(" ")] as const;
  });
}

function placeOf(longitude: number, latitude: number): [x: number, y: number] {
  const place = projection([longitude, latitude]);
  if (place === null) throw new Error(`${longitude} ${latitude} is no place of the map.`);
  return place;
}

/**
 * The two letters of ISO 3166-1 for a country's number there (`BR` for `076`): Node's ICU knows all numbers, Safari's none.
 * Empty for land without letters.
 */
function lettersOf(id: string | number | undefined, name: string): string {
  if (id !== undefined) return new Intl.Locale(`und-${id}`).region ?? "";
  return name === NAMES.of(KOSOVO) ? KOSOVO : "";
}

/** A path of closed outlines by steps from point to point, without points that are where the one before is. */
function short(path: string): string {
  return path.replaceAll(/M([^MZ]+)Z/g, (_, outline: string) => {
    const [first, ...others] = outline.split("L").map((point) => point.split(",").map(Number));
    let [x = 0, y = 0] = first ?? [];
    const steps = others.flatMap(([nextX = 0, nextY = 0]) => {
      const step = `${nextX - x} ${nextY - y}`;
      [x, y] = [nextX, nextY];
      return step === "0 0" ? [] : [step];
    });
    const start = `M${(first ?? []).join(" ")}`;
    return steps.length < 2 ? "" : `${start}l${steps.join(" ").replaceAll(" -", "-")}z`;
  });
}
