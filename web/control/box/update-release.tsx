import type { UpdateView } from "../../../appliance/control/wire.ts";
import { AskFirst } from "../confirm.tsx";
import { Problem, useNow } from "../parts.tsx";
import { useAction } from "../use-action.ts";
import { askUpdate } from "./update-ask.ts";
import {
  isAtWork,
  isRestarting,
  originText,
  progressText,
  readyTitle,
  whenText,
  workTitle,
} from "./update-words.ts";

/** The doubt about this board before a release is installed; empty where all is well. */
function doubtOf({ isUntriedBoard, couldNotTry }: UpdateView): string {
  if (couldNotTry)
    return "This board could not try an update when it was last asked to. Try again once its bootloader is newer, or write the image to the card.";
  return isUntriedBoard ? "Updates on this board were never tried: keep a card reader near." : "";
}

export function Release({ update }: { update: UpdateView }) {
  const { busy, problem, run } = useAction();
  const { ready, board, source } = update;
  if (ready === null || isAtWork(update)) return null;
  const { release, version } = ready;
  const doubt = doubtOf(update);
  const isInDoubt = ready.isSkipped || ready.failedBefore || update.couldNotTry;
  return (
    <div class="stack">
      <div role="status">
        <h3>{readyTitle(ready)}</h3>
      </div>
      {ready.notes !== "" && <p class="notes">{ready.notes}</p>}
      {ready.failedBefore && (
        <p>It was tried on this box and was not well. It is not tried again by itself.</p>
      )}
      {doubt !== "" && <p class="notice">{doubt}</p>}
      <div class="row">
        {(["now", "tonight"] as const).map((action) => (
          <AskFirst
            key={action}
            label={`${action === "now" ? "Install now" : "Tonight at 4"}${doubt === "" ? "" : "…"}`}
            class={action === "tonight" || isInDoubt ? "" : "primary"}
            disabled={busy}
            asks={doubt !== ""}
            title={`Install ${version} all the same?`}
            text={`${doubt} ${board === null ? "" : `This is a ${board}. `}If the box is not back after fifteen minutes, unplug it and plug it in again: that starts the one before. If that does not help, change the letter in config.txt on the card, as SETUP-RESULT.txt beside it says.`}
            yes="Install"
            onYes={() => run(() => askUpdate({ action, release, untried: doubt !== "" }))}
          />
        ))}
        {!ready.isSkipped && (
          <button
            type="button"
            class="quiet"
            disabled={busy}
            onClick={() => run(() => askUpdate({ action: "skip", release }))}
          >
            Not this one
          </button>
        )}
      </div>
      <p class="hint">
        {originText(ready, source)} The box is away for about two minutes. If {version} is not well,
        the one before comes back by itself.
      </p>
      <Problem text={problem} />
    </div>
  );
}

/** The work on a release, and when the box restarts. */
export function Work({ update }: { update: UpdateView }) {
  if (!isAtWork(update)) return null;
  const { progress, isCalledOff } = update;
  return (
    <div class="stack">
      <h3>{workTitle(update)}</h3>
      {progress !== null && <Bar {...progress} />}
      {isRestarting(update) ? (
        <p role="status">
          The box restarts. It is back in about two minutes, and this page goes on by itself.
        </p>
      ) : isCalledOff ? (
        <p role="status">It is written to its end. Nothing starts it by itself.</p>
      ) : (
        <UntilRestart {...update} />
      )}
    </div>
  );
}

function UntilRestart({ restartsAt, next }: UpdateView) {
  const { busy, problem, run } = useAction();
  return (
    <>
      {restartsAt !== null && <Countdown at={restartsAt} version={next?.version ?? ""} />}
      <div class="row">
        <button
          type="button"
          disabled={busy}
          onClick={() => run(() => askUpdate({ action: "cancel" }))}
        >
          Cancel
        </button>
      </div>
      <Problem text={problem} />
    </>
  );
}

function Bar(progress: NonNullable<UpdateView["progress"]>) {
  const { done, of, step } = progress;
  return (
    <div class="meter">
      <p id="update-step">{progressText(progress)}</p>
      <progress
        key={step}
        aria-labelledby="update-step"
        max={of || 1}
        {...(of > 0 && { value: done })}
      />
    </div>
  );
}

function Countdown({ at, version }: { at: number; version: string }) {
  const now = useNow();
  return (
    <p role="timer">
      The box restarts into {version} {whenText(at, now)}.
    </p>
  );
}
