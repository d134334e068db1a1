import { Dialog } from "../../shared/dialog.tsx";
import { presetsOf } from "../period/period.ts";

const KEY_LIST: [keys: string[], does: string][] = [
  ...presetsOf(0).flatMap(({ key, name }): [string[], string][] =>
    key ? [[[key.toUpperCase()], `Show ${name === "All" ? "all days" : name.toLowerCase()}`]] : [],
  ),
  [["←", "→"], "One period earlier or later"],
  [["↑", "↓"], "From row to row of a list"],
  [["/"], "Search the lists"],
  [["B"], "Show or hide bots"],
  [["Esc"], "Take the newest filter away"],
  [["?"], "Show this list"],
];

/** The keys and what each does. */
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
