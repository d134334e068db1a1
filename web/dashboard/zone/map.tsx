/** The maps, in a bundle of their own, which is loaded for the first one. */
import table from "moment-timezone/data/meta/latest.json";
import { useMemo } from "preact/hooks";
import { LAND, SEA, stripPath, VIEW_BOX } from "./globe.ts";
import { offsetMinutes, type Zone, zonesAt } from "./zones.ts";

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
      minutes === null ? [] : zonesAt(minutes, now, table, Intl.supportedValuesOf("timeZone")),
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
  // The strip of the sea clock: half an hour of sun either side of the offset's meridian.
  const middle = minutes / 4;
  return (
    <svg class="map" viewBox={VIEW_BOX} role="img" aria-label="Map of the zones">
      <path class="sea" d={SEA} />
      <path class="land" d={LAND} />
      <path class="meridian" d={stripPath(middle - 7.5, middle + 7.5)} />
      {zones.map(
        ({ name, place }) =>
          place && (
            <circle key={name} cx={place.x} cy={place.y} r={5}>
              <title>{name}</title>
            </circle>
          ),
      )}
    </svg>
  );
}
