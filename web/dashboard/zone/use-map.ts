import { useEffect, useState } from "preact/hooks";

type Maps = typeof import("./map.tsx");

/** The maps' code and coastlines are most of the page's weight: they come when first needed. */
export function useMap(): Maps | "loading" | "failed" {
  const [loaded, setLoaded] = useState<Maps | "loading" | "failed">("loading");
  useEffect(() => {
    import("./map.tsx").then(setLoaded, () => setLoaded("failed"));
  }, []);
  return loaded;
}
