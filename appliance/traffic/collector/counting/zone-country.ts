import { ZONE_TABLE } from "./zone-table.ts";

const COUNTRIES: ReadonlyMap<string, string> = new Map(
  Object.entries(ZONE_TABLE).flatMap(([area, text]) =>
    text.split(/[|\n]/).flatMap((entry) => {
      const [country = "", ...places] = entry.split(" ");
      return places.map((place) => [`${area}/${place}`, country] as const);
    }),
  ),
);

/** The ISO country of a time zone, or "": `UTC` and `Etc/GMT-1` are nowhere. @param zone any text */
export function countryOfZone(zone: string): string {
  return COUNTRIES.get(zone) ?? "";
}
