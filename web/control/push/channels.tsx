import { useState } from "preact/hooks";
import { isChannelName } from "../../../appliance/base/names.ts";
import type { PushChannel } from "../../../appliance/control/wire.ts";
import { counted } from "../../shared/format.ts";
import { ask } from "../api.ts";
import { useShell } from "../context.ts";
import { Card, Problem, useNow } from "../parts.tsx";
import { ago, clockOf } from "../times.ts";
import { useAction } from "../use-action.ts";
import { ChannelField } from "./channel-field.tsx";
import { TestValue } from "./test-value.tsx";
import { WatchForm } from "./watch-form.tsx";

/** Every channel that holds a value or is watched, and how it is. */
export function Channels() {
  const { box } = useShell();
  const now = useNow();
  return (
    <Card id="channels" title="Channels" help="push-api">
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
    </Card>
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

/** One channel: its content, its state, and its actions. */
function Channel({ held, now }: { held: PushChannel; now: number }) {
  const { busy, problem, run } = useAction();
  const { channel, text, color, background, bound, state, period, updatedAt } = held;
  const path = `api/push-channels/${channel}`;
  const word = stateOf(held);
  const hasAge = word !== undefined && state !== "new";
  // Its key is red, too, whatever the sender chose.
  const isRed = state === "down" && isOpenAlarm(held);
  const isPaused = state === "paused";
  const where = bound === 0 ? "on no key" : `on ${counted(bound, "key")}`;
  return (
    <li>
      <div class="entry">
        <span
          class={`swatch ${isRed ? "red" : state}`}
          {...(!isRed && {
            style: { color: color ?? "#ffffff", background: background ?? "#000000" },
          })}
        >
          {text}
        </span>
        <div>
          <h3>
            {channel} {word !== undefined && <span class={`tag ${state}`}>{word}</span>}
          </h3>
          <p class="hint">
            {[lifeOf(held, now), ...(hasAge ? [ago(updatedAt, now)] : []), where].join(" · ")}
          </p>
        </div>
        <fieldset class="row" aria-label={channel}>
          {isOpenAlarm(held) && (
            <button
              type="button"
              class="primary"
              disabled={busy}
              aria-label={`Acknowledge ${channel}`}
              onClick={() => run(() => ask("POST", `${path}/acknowledge`))}
            >
              Acknowledge
            </button>
          )}
          {period !== undefined && (
            <button
              type="button"
              disabled={busy}
              aria-label={`${isPaused ? "Resume" : "Pause"} ${channel}`}
              onClick={() => run(() => ask("PATCH", path, { paused: !isPaused }))}
            >
              {isPaused ? "Resume" : "Pause"}
            </button>
          )}
          <button
            type="button"
            disabled={busy}
            aria-label={`Clear ${channel}`}
            onClick={() => run(() => ask("DELETE", path))}
          >
            Clear
          </button>
        </fieldset>
      </div>
      <Problem text={problem} />
    </li>
  );
}

const SIGNS: Partial<Record<PushChannel["state"], string>> = {
  late: "! late",
  down: "✗ down",
  firing: "! firing",
  acknowledged: "✓ acknowledged",
  resolved: "✓ resolved",
};

/** The state of a channel that is watched or held; undefined for one that only holds a text. */
function stateOf({ state }: Pick<PushChannel, "state">): string | undefined {
  return state === "live" || state === "expired" ? undefined : (SIGNS[state] ?? state);
}

/** Whether there is an alarm that has not been acknowledged. */
function isOpenAlarm({ state, ack }: Pick<PushChannel, "state" | "ack">): boolean {
  return ack === undefined && (state === "down" || state === "firing");
}

/** A sentence about the life of a push, and who has seen it. */
function lifeOf(held: PushChannel, now: number): string {
  const { state, expiresAt, period, ack } = held;
  if (ack !== undefined) return `seen ${ago(ack.at, now)}`;
  if (period !== undefined) return `every ${spanOf(period)}`;
  if (state === "expired") return "expired";
  return expiresAt === null ? "stays" : `${clockOf((expiresAt - now) / 1_000)} left`;
}

/** Seconds → `10 minutes`, in the largest unit with a whole number. */
function spanOf(seconds: number): string {
  for (const [unit, size] of [
    ["day", 86_400],
    ["hour", 3_600],
    ["minute", 60],
  ] as const)
    if (seconds % size === 0) return seconds === size ? unit : counted(seconds / size, unit);
  return counted(seconds, "second");
}
