import type { Row } from "../traffic/breakdown-model.ts";
import { MapWait } from "./map-wait.tsx";
import { useMap } from "./use-map.ts";

interface CountryMapPanelProps {
  rows: Row[];
  ask: (country: string) => void;
}

/** The countries on a map; the rows below say the same. */
export function CountryMapPanel({ rows, ask }: CountryMapPanelProps) {
  const maps = useMap();
  return typeof maps === "object" ? (
    <maps.CountryMap {...{ rows, ask }} />
  ) : (
    <MapWait maps={maps} />
  );
}
