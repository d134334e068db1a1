import { Dialog } from "../shared/dialog.tsx";
import { KEY_LIST } from "./keys.ts";

export function KeyList({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Shortcuts" class="keys" onClose={onClose}>
      <dl>
        {KEY_LIST.map(([keys, does]) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
