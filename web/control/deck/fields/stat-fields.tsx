import {
  choicesOf,
  periodMetrics,
  STAT_METRICS,
  STAT_PERIODS,
} from "../../../../appliance/base/input/deck-fields.ts";
import type { StatWidget } from "../../../../appliance/control/wire.ts";
import { useShell } from "../../context.ts";
import { Choice, Select } from "../../parts.tsx";
import { KeyNameField } from "./label-field.tsx";
import { WakeField } from "./wake-field.tsx";
import type { FieldsProps } from "./widgets.ts";

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
        <Select
          label="Site"
          value={widget.site}
          options={[
            ...(isKnown ? [] : [{ id: widget.site, name: `${widget.site} (erased)` }]),
            ...box.sites.map(({ id }) => ({ id, name: id })),
          ]}
          onChoose={(site) => onEdit({ ...widget, site })}
        />
        <Select
          label="Counts"
          value={widget.metric}
          options={metrics.map((id) => ({ id, name: STAT_METRICS[id].name }))}
          onChoose={(metric) => onEdit({ ...widget, metric })}
        />
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
      <KeyNameField hint={`${widget.site} unless given.`} widget={widget} onEdit={onEdit} />
      <WakeField widget={widget} onEdit={onEdit} />
    </>
  );
}
