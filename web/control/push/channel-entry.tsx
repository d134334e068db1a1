import type { PushChannel } from "../../../appliance/control/wire.ts";
import { counted } from "../../shared/format.ts";
import { ask } from "../api.ts";
import { Problem } from "../parts.tsx";
import { ago } from "../times.ts";
import { useAction } from "../use-action.ts";
import { isOpenAlarm, lifeOf, stateOf } from "./channel-words.ts";

/** One channel: what it holds, how it is, and what its owner can do about it. */
export function Channel({ held, now }: { held: PushChannel; now: number }) {
  const { busy, problem, run } = useAction();
  const { channel, text, color, background, bound, state, period, updatedAt } = held;
  const path = `api/push-channels/${channel}`;
  const word = stateOf(held);
  const hasAge = word !== undefined && state !== "new";
  const isPaused = state === "paused";
  const where = bound === 0 ? "on no key" : `on ${counted(bound, "key")}`;
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
