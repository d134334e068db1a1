import { useState } from "preact/hooks";
import { Dialog } from "../../shared/dialog.tsx";
import { Later } from "../later.tsx";

interface ZoneDialogProps {
  offset: string;
  onClose: () => void;
}

export function ZoneDialog({ offset, onClose }: ZoneDialogProps) {
  const [now] = useState(Date.now);
  return (
    <Dialog title={`App time zone offset ${offset}`} class="zone-dialog" onClose={onClose}>
      <Later name="the map" load={() => import("./map.tsx")}>
        {({ ZoneMap }) => <ZoneMap {...{ offset, now }} />}
      </Later>
    </Dialog>
  );
}
