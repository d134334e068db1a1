import { useState } from "preact/hooks";
import { Dialog } from "../../shared/dialog.tsx";
import { MapWait } from "./map-wait.tsx";
import { useMap } from "./use-map.ts";

interface ZoneDialogProps {
  offset: string;
  onClose: () => void;
}

export function ZoneDialog({ offset, onClose }: ZoneDialogProps) {
  const maps = useMap();
  const [now] = useState(Date.now);
  return (
    <Dialog title={`App time zone offset ${offset}`} class="zone-dialog" onClose={onClose}>
      {typeof maps === "object" ? (
        <maps.ZoneMap offset={offset} now={now} />
      ) : (
        <MapWait maps={maps} />
      )}
    </Dialog>
  );
}
