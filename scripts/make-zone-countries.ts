import { readFileSync } from "node:fs";

const FOLDER = "/usr/share/zoneinfo";
const LINE = 128;

/**
 * Old names that browsers still tell, each with a present one of the same place. The database's own links are no help: they
 * lead to where the clock is the same, which for Asmera is Nairobi.
 */
const OLD_NAMES: Readonly<Record<string, string>> = {
  "Africa/Asmera": "Africa/Asmara",
  "America/Buenos_Aires": "America/Argentina/Buenos_Aires",
  "America/Catamarca": "America/Argentina/Catamarca",
  "America/Coral_Harbour": "America/Atikokan",
  "America/Cordoba": "America/Argentina/Cordoba",
  "America/Godthab": "America/Nuuk",
  "America/Indianapolis": "America/Indiana/Indianapolis",
  "America/Jujuy": "America/Argentina/Jujuy",
  "America/Louisville": "America/Kentucky/Louisville",
  "America/Mendoza": "America/Argentina/Mendoza",
  "America/Montreal": "America/Toronto",
  "America/Nipigon": "America/Toronto",
  "America/Pangnirtung": "America/Iqaluit",
  "America/Rainy_River": "America/Winnipeg",
  "America/Santa_Isabel": "America/Tijuana",
  "America/Thunder_Bay": "America/Toronto",
  "America/Yellowknife": "America/Edmonton",
  "Asia/Calcutta": "Asia/Kolkata",
  "Asia/Choibalsan": "Asia/Ulaanbaatar",
  "Asia/Katmandu": "Asia/Kathmandu",
  "Asia/Rangoon": "Asia/Yangon",
  "Asia/Saigon": "Asia/Ho_Chi_Minh",
  "Atlantic/Faeroe": "Atlantic/Faroe",
  "Australia/Currie": "Australia/Hobart",
  "Europe/Kiev": "Europe/Kyiv",
  "Europe/Uzhgorod": "Europe/Kyiv",
  "Europe/Zaporozhye": "Europe/Kyiv",
  "Pacific/Enderbury": "Pacific/Kanton",
  // One of the outlying islands of the United States, as Midway is.
  "Pacific/Johnston": "Pacific/Midway",
  "Pacific/Ponape": "Pacific/Pohnpei",
  "Pacific/Truk": "Pacific/Chuuk",
};

function linesOf(file: string): string[] {
  return readFileSync(`${FOLDER}/${file}`, "utf8").trimEnd().split("\n");
}

/** Zone → country. */
function zoneCountries(): Map<string, string> {
  const zones = new Map(
    linesOf("zone.tab")
      .filter((line) => !line.startsWith("#"))
      .map((line) => {
        const [country = "", , zone = ""] = line.split("\t");
        return [zone, country] as const;
      }),
  );
  for (const [old, present] of Object.entries(OLD_NAMES)) {
    const country = zones.get(present);
    if (country === undefined) throw new Error(`zone.tab has no ${present}: name it anew here.`);
    zones.set(old, country);
  }
  return zones;
}

/** The text of an area: `CI Abidjan|ER Asmara Asmera`. */
function areaText(zones: readonly (readonly [zone: string, country: string])[]): string {
  const byCountry = Map.groupBy(zones, ([, country]) => country);
  const entries = [...byCountry].map(([country, each]) =>
    [country, ...each.map(([zone]) => zone.slice(zone.indexOf("/") + 1))].join(" "),
  );
  const lines: string[] = [];
  for (const entry of entries.sort()) {
    const longer = `${lines.at(-1)}|${entry}`;
    if (lines.length > 0 && longer.length <= LINE) lines[lines.length - 1] = longer;
    else lines.push(entry);
  }
  return lines.join("\n");
}

const release = /^# version (\S+)$/.exec(linesOf("tzdata.zi")[0] ?? "")?.[1];
if (release === undefined) throw new Error("tzdata.zi does not name its release: install tzdata.");
const areas = Map.groupBy([...zoneCountries()].sort(), ([zone]) =>
  zone.slice(0, zone.indexOf("/")),
);

process.stdout.write(`/**
 * The places of each country that time zones are named by, by area, and old names of them: zone.tab of IANA's time zone
 * database, release ${release}, which is in the public domain. Made by scripts/make-zone-countries; do not edit.
 */
export const ZONE_TABLE = {
${[...areas].map(([area, zones]) => `  ${area}: \`${areaText(zones)}\`,\n`).join("")}};
`);
