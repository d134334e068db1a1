import { useState } from "preact/hooks";
import { isChannelName } from "../../../appliance/base/names.ts";
import { useShell } from "../context.ts";
import { useNow } from "../parts.tsx";
import { Channel } from "./channel-entry.tsx";
import { ChannelField } from "./channel-field.tsx";
import { TestValue } from "./test-value.tsx";
import { WatchForm } from "./watch-form.tsx";

/** Every channel that holds a value or is watched, and how it is. */
export function Channels() {
  const { box } = useShell();
  const now = useNow();
  return (
    <section class="card stack" aria-labelledby="channels-title">
      <h2 id="channels-title">Channels</h2>
      {box.channels.length === 0 ? (
        <p class="hint">
          Nothing was pushed since the service started. Channels appear here with the first value;
          only those that are watched, or wait to be seen, are kept over a restart.
        </p>
      ) : (
        <ul class="entries">
          {box.channels.map((channel) => (
            <Channel key={channel.channel} held={channel} now={now} />
          ))}
        </ul>
      )}
      <AnyChannel />
      <WatchForm />
    </section>
  );
}

/** A test value for a channel that may not be there yet. */
function AnyChannel() {
  const [channel, setChannel] = useState("");
  return (
    <details class="part">
      <summary>Send a test value</summary>
      <ChannelField label="Channel" value={channel} onInput={setChannel} />
      {isChannelName(channel) && <TestValue channel={channel} />}
    </details>
  );
}
