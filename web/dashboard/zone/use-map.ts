import { useEffect, useState } from "preact/hooks";

type Maps = typeof import("./map.tsx");

/** Loads code and coastlines of the maps on demand, since they are most of the page's weight. */
export function useMap(): Maps | "loading" | "failed" {
  const [loaded, setLoaded] = useState<Maps | "loading" | "failed">("loading");
  useEffect(() => {
    import("./map.tsx").then(setLoaded, () => setLoaded("failed"));
  }, []);
  return loaded;
}
