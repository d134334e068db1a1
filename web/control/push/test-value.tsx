import { useState } from "preact/hooks";
import { FIELD_LIMITS } from "../../../appliance/base/input/deck-fields.ts";
import type { PushAnswer } from "../../../appliance/control/wire.ts";
import { counted } from "../../shared/format.ts";
import { ask } from "../api.ts";
import { Area, Form, Problem, Select } from "../parts.tsx";
import { useAction } from "../use-action.ts";

export const LIVES = [
  { id: 10, name: "after 10 seconds" },
  { id: 60, name: "after 1 minute" },
  { id: 600, name: "after 10 minutes" },
  { id: 3_600, name: "after 1 hour" },
  { id: 0, name: "never" },
];

/** A form that sends a value to a channel, for a look at it. */
export function TestValue({ channel }: { channel: string }) {
  const { busy, problem, run } = useAction();
  const [text, setText] = useState("Hello");
  const [ttl, setTtl] = useState(60);
  const [answer, setAnswer] = useState<PushAnswer | null>(null);
  const path = `api/push-channels/${channel}`;
  const send = () => run(async () => setAnswer(await ask<PushAnswer>("POST", path, { text, ttl })));
  const clear = () =>
    run(async () => {
      await ask("DELETE", path);
      setAnswer(null);
    });
  return (
    <Form class="part" onSubmit={send}>
      <h3>Try it</h3>
      <Area label="Text to send" rows={2} value={text} onText={setText} />
      <div class="row">
        <Select label="Expires" value={ttl} options={LIVES} onChoose={setTtl} />
        <button type="submit" class="primary" disabled={busy}>
          Send
        </button>
        <button type="button" disabled={busy} onClick={clear}>
          Clear
        </button>
      </div>
      <Problem text={problem} />
      <p class="hint" role="status">
        {answer !== null && resultOf(answer)}
      </p>
    </Form>
  );
}

function resultOf({ bound, replaced, truncated }: PushAnswer): string {
  const where =
    bound === 0
      ? "Sent. No key of a connected deck shows this channel yet."
      : `Sent to ${counted(bound, "key")}.`;
  const lost = replaced === 0 ? "" : ` ${counted(replaced, "character")} drawn as ?.`;
  return `${where}${lost}${truncated ? ` Cut after ${FIELD_LIMITS.text} characters.` : ""}`;
}
