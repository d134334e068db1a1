import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Dialog } from "../../shared/dialog.tsx";

interface ZoneDialogProps {
  offset: string;
  onClose: () => void;
}

type Loaded = { Map: ComponentType<{ offset: string; now: number }> } | "loading" | "failed";

/** The map's code and coastlines are most of the page's weight: they come when first needed. */
export function ZoneDialog({ offset, onClose }: ZoneDialogProps) {
  const [loaded, setLoaded] = useState<Loaded>("loading");
  useEffect(() => {
    import("./map.tsx").then(
      ({ ZoneMap }) => setLoaded({ Map: ZoneMap }),
      () => setLoaded("failed"),
    );
  }, []);
  const [now] = useState(Date.now);
  return (
    <Dialog title={`App time zone offset ${offset}`} class="zone-dialog" onClose={onClose}>
      {loaded === "loading" && <p role="status">Loading the map…</p>}
      {loaded === "failed" && (
        <p role="alert">The map could not be loaded. Check the connection and open it again.</p>
      )}
      {typeof loaded === "object" && <loaded.Map offset={offset} now={now} />}
    </Dialog>
  );
}
