import { useState } from "preact/hooks";
import { CHANNEL_RULE, isChannelName } from "../../../appliance/base/names.ts";
import type { PushChannel } from "../../../appliance/control/wire.ts";
import { counted } from "../../shared/format.ts";
import { ask } from "../api.ts";
import { useShell } from "../context.ts";
import { Labelled, Problem, useNow } from "../parts.tsx";
import { clockOf } from "../times.ts";
import { useAction } from "../use-action.ts";
import { TestValue } from "./test-value.tsx";

/** Every channel that holds a value, and for how long. */
export function Channels() {
  const { box } = useShell();
  const now = useNow();
  return (
    <section class="card stack" aria-labelledby="channels-title">
      <h2 id="channels-title">Channels</h2>
      {box.channels.length === 0 ? (
        <p class="hint">
          Nothing was pushed since the service started. Channels appear here with the first value;
          what they hold is not kept over a restart.
        </p>
      ) : (
        <ul class="entries">
          {box.channels.map((channel) => (
            <Channel key={channel.channel} held={channel} now={now} />
          ))}
        </ul>
      )}
      <AnyChannel />
    </section>
  );
}

function Channel({ held, now }: { held: PushChannel; now: number }) {
  const { busy, problem, run } = useAction();
  const { channel, text, color, background, bound, state } = held;
  return (
    <li>
      <div class="entry">
        <span
          class={`swatch ${state}`}
          style={{ color: color ?? "#ffffff", background: background ?? "#000000" }}
        >
          {text}
        </span>
        <div>
          <h3>{channel}</h3>
          <p class="hint">
            {leftOf(held, now)} · {bound === 0 ? "on no key" : `on ${counted(bound, "key")}`}
          </p>
        </div>
        <button
          type="button"
          disabled={busy}
          aria-label={`Clear ${channel}`}
          onClick={() => run(() => ask("DELETE", `api/push-channels/${channel}`))}
        >
          Clear
        </button>
      </div>
      <Problem text={problem} />
    </li>
  );
}

function leftOf({ state, expiresAt }: PushChannel, now: number): string {
  if (state === "expired") return "expired";
  return expiresAt === null ? "stays" : `${clockOf((expiresAt - now) / 1_000)} left`;
}

/** A test value for a channel that may not be there yet. */
function AnyChannel() {
  const [channel, setChannel] = useState("");
  return (
    <details class="part">
      <summary>Send a test value</summary>
      <Labelled label="Channel" hint={`${CHANNEL_RULE}.`}>
        {(at) => (
          <input
            {...at}
            value={channel}
            maxLength={32}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            onInput={(event) => setChannel(event.currentTarget.value.trim().toLowerCase())}
          />
        )}
      </Labelled>
      {isChannelName(channel) && <TestValue channel={channel} />}
    </details>
  );
}
