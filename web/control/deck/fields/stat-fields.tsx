import type { StatWidget } from "../../../../appliance/control/wire.ts";
import { useShell } from "../../context.ts";
import { Choice, Labelled } from "../../parts.tsx";
import { LabelField } from "./label-field.tsx";
import { WakeField } from "./wake-field.tsx";
import { type FieldsProps, METRICS, PERIODS, withField } from "./widgets.ts";

export function StatFields({ widget, onEdit }: FieldsProps<StatWidget>) {
  const { box, change } = useShell();
  const isKnown = box.sites.some(({ id }) => id === widget.site);
  if (box.sites.length === 0) {
    return (
      <p class="notice">
        There is no site to count yet.{" "}
        <button type="button" onClick={() => change({ tab: "sites" })}>
          Add one
        </button>
      </p>
    );
  }
  return (
    <>
      <div class="pair">
        <Labelled label="Site">
          {(at) => (
            <select
              {...at}
              value={widget.site}
              onChange={(event) => onEdit({ ...widget, site: event.currentTarget.value })}
            >
              {!isKnown && <option value={widget.site}>{widget.site} (erased)</option>}
              {box.sites.map(({ id }) => (
                <option key={id} value={id}>
                  {id}
                </option>
              ))}
            </select>
          )}
        </Labelled>
        <Labelled label="Counts">
          {(at) => (
            <select
              {...at}
              value={widget.metric}
              onChange={(event) => {
                const found = METRICS.find(({ id }) => id === event.currentTarget.value);
                if (found) onEdit({ ...widget, metric: found.id });
              }}
            >
              {METRICS.filter(({ id }) => id === "pv" || widget.period !== "now").map(
                ({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ),
              )}
            </select>
          )}
        </Labelled>
      </div>
      <Choice
        legend="Over"
        value={widget.period}
        options={PERIODS}
        onChoose={(period) =>
          onEdit({ ...widget, period, metric: period === "now" ? "pv" : widget.metric })
        }
      />
      <LabelField
        label="Name on the key"
        hint={`${widget.site} unless given.`}
        value={widget.label}
        onSet={(label) => onEdit(withField(widget, "label", label))}
      />
      <WakeField widget={widget} onEdit={onEdit} />
    </>
  );
}
