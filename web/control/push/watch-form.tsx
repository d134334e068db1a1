import { useState } from "preact/hooks";
import { isChannelName, PING_WATCH } from "../../../appliance/base/names.ts";
import type { PushChannel } from "../../../appliance/control/wire.ts";
import { ask } from "../api.ts";
import { Form, Problem, Select } from "../parts.tsx";
import { useAction } from "../use-action.ts";
import { ChannelField } from "./channel-field.tsx";

const PERIODS = [
  { id: 300, name: "5 minutes" },
  { id: 3_600, name: "hour" },
  { id: 86_400, name: "day" },
  { id: 604_800, name: "week" },
];
const GRACES = [
  { id: 60, name: "1 minute" },
  { id: 600, name: "10 minutes" },
  { id: 3_600, name: "1 hour" },
  { id: 21_600, name: "6 hours" },
];

/** A form that watches a channel, even before its first push. */
export function WatchForm() {
  const { busy, problem, run } = useAction();
  const [channel, setChannel] = useState("");
  const [period, setPeriod] = useState<number>(PING_WATCH.period);
  const [grace, setGrace] = useState<number>(PING_WATCH.grace);
  const submit = () =>
    run(async () => {
      await ask<PushChannel>("PATCH", `api/push-channels/${channel}`, { period, grace });
      setChannel("");
    });
  return (
    <details class="part">
      <summary>Watch a channel</summary>
      <Form onSubmit={submit}>
        <p class="hint">
          Its key turns amber when nothing came for so long, and red when the grace is over, too.
          Programs push to it, or only ask for /ping/{channel || "channel"}.
        </p>
        <ChannelField label="Channel to watch" value={channel} onInput={setChannel} />
        <div class="row">
          <Select
            label="Something comes every"
            value={period}
            options={PERIODS}
            onChoose={setPeriod}
          />
          <Select label="Grace" value={grace} options={GRACES} onChoose={setGrace} />
          <button type="submit" class="primary" disabled={busy || !isChannelName(channel)}>
            Watch
          </button>
        </div>
        <Problem text={problem} />
      </Form>
    </details>
  );
}
