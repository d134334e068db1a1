import type { PublicAnswer, StepView } from "../../../../appliance/control/wire.ts";
import { counted } from "../../../shared/format.ts";
import { ask } from "../../api.ts";
import { useShell } from "../../context.ts";
import { AnswerCard, Problem, useNow } from "../../parts.tsx";
import { clockOf } from "../../times.ts";
import { useAction } from "../../use-action.ts";
import { PhoneLink } from "./phone-link.tsx";
import { PublicSettings, PublicSwitches } from "./public-settings.tsx";
import { STATES, STEPS } from "./public-words.ts";
import { TunnelPart } from "./tunnel-part.tsx";

/** The box's address on the internet: its progress, problems, and settings. */
export function PublicCard() {
  const { public: answer } = useShell().box;
  return (
    <AnswerCard
      id="public"
      title="Public address"
      help="public-address"
      answer={answer}
      hint={
        <>
          Pages on <code>https://</code> can be counted once the machine has a name and a
          certificate of its own. It gets and renews the certificate by itself.
        </>
      }
    >
      {(known) => (
        <>
          {known.enabled && <Standing {...known} />}
          {known.declared ? <Declared {...known} /> : <Settings answer={known} />}
          <TunnelPart />
        </>
      )}
    </AnswerCard>
  );
}

function Standing({ name, view }: PublicAnswer) {
  const { headline, live, url, steps } = view;
  // The line that is open says the same to the eye.
  const isSaid = steps.some(({ sentence }) => sentence === headline);
  return (
    <>
      <p role="status" class={isSaid ? "offscreen" : "notice"}>
        {headline}
      </p>
      <PublicChain steps={steps} />
      {name !== "" && <Proofs view={view} />}
      {live && url !== null && (
        <p class="hint">
          Each site’s tag with this address stands under <em>Sites</em>.
        </p>
      )}
    </>
  );
}

/** The settings, which are collapsed once there is a name and consent to the terms. */
function Settings({ answer }: { answer: PublicAnswer }) {
  if (answer.name === "") return <PublicSettings answer={answer} />;
  return (
    <>
      <PublicSwitches {...answer} />
      <details class="part" open={!answer.agreed}>
        <summary>Name and provider</summary>
        <PublicSettings answer={answer} />
      </details>
    </>
  );
}

/** The means to see from outside whether it works. */
function Proofs({ view: { testsLeft, reachedAt } }: Pick<PublicAnswer, "view">) {
  const { busy, problem, run } = useAction();
  // The result comes as events, one for each step.
  const test = () => run(() => ask("POST", "api/public/test"));
  return (
    <div class="stack">
      <div class="row">
        <button type="button" disabled={busy || testsLeft === 0} onClick={test}>
          Test from the internet
        </button>
        <PhoneLink reachedAt={reachedAt} />
      </div>
      <p class="hint">
        {testsLeft === 0
          ? "No test is left for now: there are ten an hour."
          : `The test asks the certificate authority to reach the machine: ${counted(testsLeft, "test is", "tests are")} left this hour.`}{" "}
        A visit from your own Wi-Fi proves nothing: many routers do not lead it back in.
      </p>
      <Problem text={problem} />
    </div>
  );
}

/** The configuration alone can change it. */
function Declared({ name, dashboard }: PublicAnswer) {
  return (
    <p>
      The configuration names <code>{name}</code>
      {dashboard && ", with the dashboard"}, and all of this can only be changed there.
    </p>
  );
}

/** The steps from a name to visitors, line by line. The one that has failed is open. */
function PublicChain({ steps }: { steps: readonly StepView[] }) {
  return (
    <ol class="chain">
      {steps.map((step) => (
        <Line key={step.step} {...step} />
      ))}
    </ol>
  );
}

function Line({ step, state, sentence, next, nextTryAt }: StepView) {
  const { sign, word } = STATES[state];
  return (
    <li class={state}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      <div>
        <h3>
          {STEPS[step]} <small class={state === "done" ? "offscreen" : ""}>{word}</small>
        </h3>
        {sentence !== "" && <p>{sentence}</p>}
        {next !== undefined && <p class="next">{next}</p>}
        {nextTryAt !== undefined && <NextTry at={nextTryAt} />}
      </div>
    </li>
  );
}

function NextTry({ at }: { at: number }) {
  const left = at - useNow();
  if (left <= 0) return null;
  return (
    <p>
      <small>The machine tries again by itself in {clockOf(left / 1_000)}.</small>
    </p>
  );
}
