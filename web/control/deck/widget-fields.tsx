import { useId } from "preact/hooks";
import { CHANNEL_RULE } from "../../../appliance/base/names.ts";
import type { PushWidget, StatWidget, Widget } from "../../../appliance/control/wire.ts";
import { useShell } from "../context.ts";
import { Choice, Labelled } from "../parts.tsx";
import { EXPIRIES, METRICS, PERIODS } from "./widgets.ts";

interface FieldsProps<W extends Widget> {
  widget: W;
  onEdit: (next: Widget) => void;
}

/** The fields of a widget's own type, then its colours. */
export function WidgetFields({ widget, onEdit }: FieldsProps<Widget>) {
  return (
    <>
      {widget.type === "push" && <PushFields widget={widget} onEdit={onEdit} />}
      {widget.type === "stat" && <StatFields widget={widget} onEdit={onEdit} />}
      {widget.type === "text" && (
        <Labelled
          label="Text"
          hint="Latin, Greek and Cyrillic letters, and signs; others are drawn as ?"
        >
          {(at) => (
            <textarea
              {...at}
              rows={3}
              maxLength={256}
              value={widget.text}
              onInput={(event) => onEdit({ ...widget, text: event.currentTarget.value })}
            />
          )}
        </Labelled>
      )}
      <Colors widget={widget} onEdit={onEdit} />
    </>
  );
}

function PushFields({ widget, onEdit }: FieldsProps<PushWidget>) {
  const { expire = "dim", fallback = "" } = widget;
  return (
    <>
      <ChannelField widget={widget} onEdit={onEdit} />
      <Choice
        legend="When the text expires"
        value={expire}
        options={EXPIRIES}
        onChoose={(next) => onEdit({ ...widget, expire: next })}
      />
      {expire === "text" && (
        <Labelled label="Text to show then">
          {(at) => (
            <textarea
              {...at}
              rows={2}
              maxLength={256}
              value={fallback}
              onInput={(event) => onEdit({ ...widget, fallback: event.currentTarget.value })}
            />
          )}
        </Labelled>
      )}
    </>
  );
}

/** Channels that somebody sends to and no key shows come first: one of them is mostly meant. */
function ChannelField({ widget, onEdit }: FieldsProps<PushWidget>) {
  const { box } = useShell();
  const list = useId();
  const unbound = box.channels.filter(({ bound }) => bound === 0);
  const choose = (channel: string) => onEdit({ ...widget, channel });
  return (
    <>
      <Labelled label="Channel" hint={`${CHANNEL_RULE}.`}>
        {(at) => (
          <input
            {...at}
            list={list}
            value={widget.channel}
            maxLength={32}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            onInput={(event) => choose(event.currentTarget.value.trim().toLowerCase())}
          />
        )}
      </Labelled>
      <datalist id={list}>
        {box.channels.map(({ channel }) => (
          <option key={channel} value={channel} />
        ))}
      </datalist>
      {unbound.length > 0 && (
        <fieldset class="chips">
          <legend>Seen, and on no key yet</legend>
          {unbound.map(({ channel }) => (
            <button key={channel} type="button" onClick={() => choose(channel)}>
              {channel}
            </button>
          ))}
        </fieldset>
      )}
    </>
  );
}

function StatFields({ widget, onEdit }: FieldsProps<StatWidget>) {
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
    </>
  );
}

function Colors({ widget, onEdit }: FieldsProps<Widget>) {
  return (
    <fieldset class="colors">
      <legend>Colours</legend>
      {widget.type !== "empty" && (
        <Color
          label="Text"
          value={widget.color}
          start="#ffffff"
          onSet={(color) => onEdit(withColor(widget, "color", color))}
        />
      )}
      <Color
        label="Background"
        value={widget.background}
        start="#000000"
        onSet={(color) => onEdit(withColor(widget, "background", color))}
      />
    </fieldset>
  );
}

interface ColorProps {
  label: string;
  value: string | undefined;
  /** what it begins with when it is switched on */
  start: string;
  onSet: (color: string | undefined) => void;
}

function Color({ label, value, start, onSet }: ColorProps) {
  return (
    <div class="color">
      <label class="check">
        <input
          type="checkbox"
          checked={value !== undefined}
          onChange={(event) => onSet(event.currentTarget.checked ? start : undefined)}
        />{" "}
        {label}
      </label>
      {value !== undefined && (
        <input
          type="color"
          aria-label={`${label} colour`}
          value={value}
          onInput={(event) => onSet(event.currentTarget.value)}
        />
      )}
    </div>
  );
}

function withColor(widget: Widget, key: "color" | "background", color?: string): Widget {
  const { [key]: _, ...rest } = widget;
  return color === undefined ? rest : { ...rest, [key]: color };
}
