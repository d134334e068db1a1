import { useEffect, useState } from "preact/hooks";
import { sourceName } from "../../appliance/base/text/source-name.ts";
import { Later, load } from "./later.tsx";
import { Menu, REST } from "./menu.tsx";
import { type Compare, shifted, stepName } from "./period/period.ts";
import { PeriodMenu } from "./period/period-menu.tsx";
import type { Shown } from "./traffic/shown.ts";

/** The width of a phone, as in the style sheets. */
const NARROW = "(max-width: 640px)";

type ControlsProps = Pick<
  Shown,
  "history" | "range" | "token" | "view" | "bots" | "toggleBots" | "change"
>;

/** A row with the period and its comparison, and a menu; on a phone a drawer. */
export function Controls(props: ControlsProps) {
  const { history, range, token, view, bots, toggleBots, change } = props;
  const isNarrow = useMedia(NARROW);
  const comparing = (
    <Chooser
      label="Compare with"
      value={view.compare}
      options={COMPARE_OPTIONS}
      onChoose={(compare) => change({ compare })}
    />
  );
  const save = async () => (await load(REST)).saveCsv(history, range);
  return (
    <div class="controls">
      <div class="stepper">
        <Shift {...{ view, history, change }} direction={-1} />
        <PeriodMenu
          history={history}
          range={range}
          choice={view.choice}
          onChoose={(choice) => change({ choice })}
        />
        <Shift {...{ view, history, change }} direction={1} />
      </div>
      {view.tab === "traffic" && (
        <>
          {!isNarrow && comparing}
          <span class="spacer" />
          <Menu class="drawer" buttonClass="quiet drawer-button" name="More" label={<Dots />}>
            {(close) => (
              <>
                {isNarrow && comparing}
                {history.sources.length > 1 && <SourceChoice {...{ history, change }} />}
                <label
                  class="switch"
                  title={history.where.length > 0 ? "Bots fit no filter." : "Key: B"}
                >
                  Bots
                  <input
                    type="checkbox"
                    role="switch"
                    aria-checked={bots}
                    checked={bots}
                    disabled={history.where.length > 0}
                    onChange={toggleBots}
                  />
                </label>
                <button
                  type="button"
                  onClick={() => {
                    close();
                    save();
                  }}
                >
                  Export CSV
                </button>
                <Later part={REST} waiting="">
                  {({ OwnerLinks }) => <OwnerLinks {...{ history, range, view, token }} />}
                </Later>
              </>
            )}
          </Menu>
        </>
      )}
    </div>
  );
}

const COMPARE_OPTIONS: [Compare, string][] = [
  ["prior", "days before"],
  ["year", "year before"],
  ["off", "nothing"],
];

/** The choice of one source, for a site with counts of several. */
function SourceChoice({ history, change }: Pick<ControlsProps, "history" | "change">) {
  const only = history.sources.map((source): [string, string] => [
    String(source.number),
    `only ${sourceName(source)} (${source.number})`,
  ]);
  return (
    <Chooser
      label="Show"
      value={String(history.only?.number ?? "")}
      options={[["", "everything"], ...only]}
      onChoose={(source) => change({ source })}
    />
  );
}

interface ChooserProps<T> {
  label: string;
  value: T | "";
  options: readonly (readonly [id: T, name: string])[];
  onChoose: (id: T) => void;
}

/** A list of options beside its name, of which one holds. */
export function Chooser<T extends string | number>(props: ChooserProps<T>) {
  const { label, value, options, onChoose } = props;
  return (
    <label class="choice">
      <span>{label}</span>
      <select
        value={value}
        onChange={({ currentTarget }) => {
          const chosen = options[currentTarget.selectedIndex];
          if (chosen) onChoose(chosen[0]);
        }}
      >
        {options.map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

const Dots = () => (
  <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
    {[4, 10, 16].map((x) => (
      <circle key={x} cx={x} cy="10" r="1.7" fill="currentColor" />
    ))}
  </svg>
);

interface ShiftProps extends Pick<Shown, "view" | "history" | "change"> {
  direction: -1 | 1;
}

function Shift({ view, history, change, direction }: ShiftProps) {
  const choice = shifted(view.choice, direction, history);
  return (
    <button
      type="button"
      aria-label={`${direction < 0 ? "Previous" : "Next"} ${stepName(view.choice)}`}
      title={direction < 0 ? "Key: ←" : "Key: →"}
      disabled={choice === null}
      onClick={() => choice && change({ choice })}
    >
      {direction < 0 ? "‹" : "›"}
    </button>
  );
}

/** Whether a media query matches, updated on changes. */
function useMedia(query: string): boolean {
  const [holds, set] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const tell = () => set(list.matches);
    list.addEventListener("change", tell);
    return () => list.removeEventListener("change", tell);
  }, [query]);
  return holds;
}
