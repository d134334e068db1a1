import zones from "moment-timezone/data/meta/latest.json";
import { percent, whole } from "../../shared/format.ts";
import type { Row } from "../traffic/breakdown-model.ts";
import { LAND, outlineOf, SEA, VIEW_BOX } from "./globe.ts";

interface CountryMapProps {
  rows: Row[];
  ask: (country: string) => void;
}

/** Countries the darker, the more was counted there; the keyboard has the rows instead. */
export function CountryMap({ rows, ask }: CountryMapProps) {
  const most = Math.max(...rows.map(({ count }) => count));
  return (
    <svg
      class="map countries"
      viewBox={VIEW_BOX}
      role="img"
      aria-label="Map of the countries; the rows below say the same"
    >
      <path class="sea" d={SEA} />
      <path class="land" d={LAND} />
      {rows.map((row) => {
        const style = { "--heat": `${Math.round(15 + 85 * Math.sqrt(row.count / most))}%` };
        const path = outlineOf(row.value);
        const at = path === undefined ? middleOf(row.value) : null;
        const onClick = () => ask(row.value);
        const title = `${row.name ?? row.value}: ${whole(row.count)} (${percent(row.share)})`;
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: the rows are there for the keyboard
          <g key={row.value} onClick={onClick}>
            <title>{title}</title>
            {path !== undefined && <path class="country" style={style} d={path} />}
            {at && <circle class="country" style={style} cx={at[0]} cy={at[1]} r={4.5} />}
          </g>
        );
      })}
    </svg>
  );
}

/** The middle of a country without an outline: the place of its first time zone. */
function middleOf(country: string): [number, number] | null {
  const zone = zones.find(([, , , countries]) => countries.split(" ").includes(country));
  return zone ? [zone[1], zone[2]] : null;
}
