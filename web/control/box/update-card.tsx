import { outcomeText } from "../../../appliance/base/text/update-outcome.ts";
import type { UpdateView } from "../../../appliance/control/wire.ts";
import { AskFirst } from "../confirm.tsx";
import { Card, Fact, Problem, useNow } from "../parts.tsx";
import { ago } from "../times.ts";
import { useAction } from "../use-action.ts";
import { askUpdate } from "./update-ask.ts";
import { UpdateFile } from "./update-file.tsx";
import { Release, Work } from "./update-release.tsx";
import { isAtWork, policyText } from "./update-words.ts";

/** The box's releases: the running one, one that is ready, and the outcome of the last update. It is shown on a box only. */
export function UpdateCard({ update }: { update: UpdateView | null }) {
  if (update === null) return null;
  return (
    <Card id="update" title="Updates" help="updates">
      <Result {...update} />
      <Standing {...update} />
      <Runs {...update} />
      <Work update={update} />
      {update.mode === "normal" && <Release update={update} />}
      <Ways update={update} />
    </Card>
  );
}

/** The outcome of the last attempt, and the problem, until the owner has seen it. */
function Result({ last, running, mode, problem: told }: UpdateView) {
  const { busy, problem, run } = useAction();
  const isGood = last?.kind === "updated" || last?.kind === "back";
  const isNew = last !== null && !last.isSeen;
  // The reason is about the visit during one.
  const isSaid = mode === "visit" || (isNew && told === last.reason);
  const wrong = isSaid ? "" : (told ?? "");
  const seen = (
    <button type="button" disabled={busy} onClick={() => run(() => askUpdate({ action: "seen" }))}>
      Seen
    </button>
  );
  return (
    <>
      <div role="status">
        {isNew && (
          <p class={isGood ? "notice" : "notice bad"}>
            {outcomeText(last, running.version)}
            {seen}
          </p>
        )}
      </div>
      {/* Once is enough for both. */}
      <Problem text={wrong}>{!isNew && seen}</Problem>
      <Problem text={problem} />
    </>
  );
}

/** A system that runs and is not, or not yet, the box's own. */
function Standing({ mode, running: { version }, problem: told }: UpdateView) {
  const { busy, problem, run } = useAction();
  if (mode === "normal") return null;
  if (mode === "trial")
    return (
      <p class="notice">
        {version} runs on trial. Once all was well for two minutes the box keeps it; if that takes
        more than ten, the one before comes back.
      </p>
    );
  return (
    <>
      <p>
        {told ??
          `Started by the jumper on pins 5 and 6, or by somebody else: ${version} is not what this box starts by itself. Without the jumper the next start is as ever.`}
      </p>
      <div class="row">
        <AskFirst
          label="Keep this one…"
          disabled={busy}
          title={`Keep ${version}?`}
          text={`The box starts ${version} from now on. Take the jumper away: with it, the other one starts.`}
          yes="Keep this one"
          onYes={() => run(() => askUpdate({ action: "keep" }))}
        />
      </div>
      <Problem text={problem} />
    </>
  );
}

function Runs({ running, other }: UpdateView) {
  return (
    <dl class="facts">
      <Fact name="Running">
        {running.version}
        <small>slot {running.slot}</small>
      </Fact>
      {other !== null && (
        <Fact name="Also here">
          {other.version}
          <small>slot {running.slot === "a" ? "b" : "a"}</small>
        </Fact>
      )}
    </dl>
  );
}

/** The ways that releases come, and the rollback. */
function Ways({ update }: { update: UpdateView }) {
  const { busy, problem, run } = useAction();
  const isIdle = update.mode === "normal" && !isAtWork(update);
  const look = () => run(() => askUpdate({ action: "check" }));
  return (
    <>
      <p class="hint">
        {policyText(update)} <Looked {...update} />
      </p>
      <div class="row">
        {isIdle && (
          <>
            {update.source !== null && (
              <button type="button" disabled={busy} onClick={look}>
                Look now
              </button>
            )}
            <GoBack {...update} />
            <UpdateFile />
          </>
        )}
      </div>
      <Problem text={problem} />
    </>
  );
}

function Looked({ source, checkedAt }: UpdateView) {
  const now = useNow();
  if (source === null) return null;
  return checkedAt === null ? "It has not looked yet." : `Looked ${ago(checkedAt * 1_000, now)}.`;
}

function GoBack({ other, running, ready }: UpdateView) {
  const { busy, problem, run } = useAction();
  // A release that was just written there is offered as an update, and not as a rollback.
  if (other === null || other.release === ready?.release) return null;
  const words = `${other.release < running.release ? "Go back to" : "Go to"} ${other.version}`;
  return (
    <>
      <AskFirst
        label={`${words}…`}
        disabled={busy}
        title={`${words}?`}
        text={`The box restarts and is back in about two minutes. Until then nothing is counted and the decks are dark. If ${other.version} is not well, ${running.version} comes back by itself.`}
        yes={words}
        onYes={() => run(() => askUpdate({ action: "back" }))}
      />
      <Problem text={problem} />
    </>
  );
}
