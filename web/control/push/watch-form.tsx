import { useState } from "preact/hooks";
import { isChannelName, PING_WATCH } from "../../../appliance/base/names.ts";
import type { PushChannel } from "../../../appliance/control/wire.ts";
import { ask } from "../api.ts";
import { Labelled, Problem } from "../parts.tsx";
import { useAction } from "../use-action.ts";
import { ChannelField } from "./channel-field.tsx";

const PERIODS = [
  { seconds: 300, name: "5 minutes" },
  { seconds: 3_600, name: "hour" },
  { seconds: 86_400, name: "day" },
  { seconds: 604_800, name: "week" },
] as const;
const GRACES = [
  { seconds: 60, name: "1 minute" },
  { seconds: 600, name: "10 minutes" },
  { seconds: 3_600, name: "1 hour" },
  { seconds: 21_600, name: "6 hours" },
] as const;

/** A form that watches a channel, even before its first push. */
export function WatchForm() {
  const { busy, problem, run } = useAction();
  const [channel, setChannel] = useState("");
  const [period, setPeriod] = useState(PING_WATCH.period);
  const [grace, setGrace] = useState(PING_WATCH.grace);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void run(async () => {
      await ask<PushChannel>("PATCH", `api/push-channels/${channel}`, { period, grace });
      setChannel("");
    });
  };
  return (
    <details class="part">
      <summary>Watch a channel</summary>
      <form class="stack" onSubmit={submit}>
        <p class="hint">
          Its key turns amber when nothing came for so long, and red when the grace is over, too.
          Programs push to it, or only ask for /ping/{channel || "channel"}.
        </p>
        <ChannelField label="Channel to watch" value={channel} onInput={setChannel} />
        <div class="row">
          <Span label="Something comes every" value={period} spans={PERIODS} onChange={setPeriod} />
          <Span label="Grace" value={grace} spans={GRACES} onChange={setGrace} />
          <button type="submit" class="primary" disabled={busy || !isChannelName(channel)}>
            Watch
          </button>
        </div>
        <Problem text={problem} />
      </form>
    </details>
  );
}

interface SpanProps {
  label: string;
  value: number;
  spans: readonly { seconds: number; name: string }[];
  onChange: (seconds: number) => void;
}

function Span({ label, value, spans, onChange }: SpanProps) {
  return (
    <Labelled label={label}>
      {(at) => (
        <select
          {...at}
          value={value}
          onChange={(event) => onChange(Number(event.currentTarget.value))}
        >
          {spans.map(({ seconds, name }) => (
            <option key={seconds} value={seconds}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}
