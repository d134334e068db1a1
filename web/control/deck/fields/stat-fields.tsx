import {
  choicesOf,
  periodMetrics,
  STAT_METRICS,
  STAT_PERIODS,
} from "../../../../appliance/base/input/deck-fields.ts";
import type { StatWidget } from "../../../../appliance/control/wire.ts";
import { useShell } from "../../context.ts";
import { Choice, Labelled } from "../../parts.tsx";
import { LabelField } from "./label-field.tsx";
import { WakeField } from "./wake-field.tsx";
import { type FieldsProps, withField } from "./widgets.ts";

export function StatFields({ widget, onEdit }: FieldsProps<StatWidget>) {
  const { box, change } = useShell();
  const metrics = periodMetrics(widget.period);
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
                const metric = metrics.find((id) => id === event.currentTarget.value);
                if (metric) onEdit({ ...widget, metric });
              }}
            >
              {metrics.map((id) => (
                <option key={id} value={id}>
                  {STAT_METRICS[id].name}
                </option>
              ))}
            </select>
          )}
        </Labelled>
      </div>
      <Choice
        legend="Over"
        value={widget.period}
        options={choicesOf(STAT_PERIODS)}
        onChoose={(period) => {
          const known = periodMetrics(period);
          const metric = known.find((id) => id === widget.metric) ?? known[0] ?? widget.metric;
          onEdit({ ...widget, period, metric });
        }}
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
