/** The maps, in a bundle of their own, which is loaded for the first one. */
import { zones as table } from "moment-timezone/data/meta/latest.json";
import { useMemo } from "preact/hooks";
import { draw, HEIGHT, landPath, projection, seaPath, WIDTH } from "./globe.ts";
import { offsetMinutes, type Zone, zonesAt } from "./zones.ts";

const places = Object.values(table);

export { CountryMap } from "./country-map.tsx";

interface ZoneMapProps {
  /** `UTC±HH:MM` */
  offset: string;
  /** epoch milliseconds */
  now: number;
}

/** The regions with an offset right now, as a map and as a list of IANA zones. */
export function ZoneMap({ offset, now }: ZoneMapProps) {
  const minutes = offsetMinutes(offset);
  const zones = useMemo(
    () =>
      minutes === null ? [] : zonesAt(minutes, now, places, Intl.supportedValuesOf("timeZone")),
    [minutes, now],
  );
  if (minutes === null) return <p>These apps did not say which offset they keep.</p>;
  if (zones.length === 0) {
    return (
      <p>
        No zone keeps {offset} at the moment. Apps that were counted here may have done so before a
        change to or from summer time.
      </p>
    );
  }
  return (
    <>
      <WorldMap minutes={minutes} zones={zones} />
      <p>
        {zones.length === 1 ? "One zone keeps" : `${zones.length} zones keep`} {offset} right now,
        summer time included. It is {clockAt(minutes, now)} there:
      </p>
      <ul class="zones">
        {zones.map(({ name }) => (
          <li key={name}>{name}</li>
        ))}
      </ul>
    </>
  );
}

/** `HH:MM` */
const clockAt = (minutes: number, now: number): string =>
  new Date(now + minutes * 60_000).toISOString().slice(11, 16);

function WorldMap({ minutes, zones }: { minutes: number; zones: Zone[] }) {
  const land = useMemo(landPath, []);
  return (
    <svg class="map" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label="Map of the zones">
      <path class="sea" d={seaPath()} />
      <path class="land" d={land} />
      <path class="meridian" d={meridianPath(minutes)} />
      {zones.map(({ name, place }) => {
        const at = place && projection([place.longitude, place.latitude]);
        return (
          at && (
            <circle key={name} cx={at[0]} cy={at[1]} r={4.5}>
              <title>{name}</title>
            </circle>
          )
        );
      })}
    </svg>
  );
}

/** The strip of the sea clock: half an hour of sun either side of the offset's meridian. */
function meridianPath(minutes: number): string {
  const middle = minutes / 4;
  const steps = Array.from({ length: 19 }, (_, i) => -90 + i * 10);
  const side = (longitude: number, latitudes: number[]): [number, number][] =>
    latitudes.map((latitude) => [wrapped(longitude), latitude]);
  const ring = [...side(middle - 7.5, steps), ...side(middle + 7.5, [...steps].reverse())];
  const first = ring[0];
  return first ? (draw({ type: "Polygon", coordinates: [[...ring, first]] }) ?? "") : "";
}

const wrapped = (longitude: number): number => ((longitude + 540) % 360) - 180;
