import type { ResetAnswer } from "../../../../appliance/control/wire.ts";
import { counted } from "../../../shared/format.ts";
import { ask } from "../../api.ts";
import { AskFirst } from "../../confirm.tsx";
import { Card, Problem } from "../../parts.tsx";
import { useAction } from "../../use-action.ts";
import { usePolled } from "../../use-polled.ts";

const PATH = "api/reset";
const AGAIN_MS = 10_000;
const COUNTING_MS = 500;

/** The way back to a box that was never set up; nothing where the system is not ours. */
export function ResetCard() {
  // Another owner, a file on the card or a finger on a deck may have begun it or called it off.
  const [reset, setReset] = usePolled<ResetAnswer>(PATH, (last) =>
    typeof last?.seconds === "number" ? COUNTING_MS : AGAIN_MS,
  );
  if (reset === undefined || !reset.possible) return null;
  return (
    <Card id="reset" title="Back to the beginning" help="image">
      {reset.seconds === null ? (
        <Begin reset={reset} onAnswer={setReset} />
      ) : (
        <Counting seconds={reset.seconds} onAnswer={setReset} />
      )}
    </Card>
  );
}

interface Answered {
  onAnswer: (answer: ResetAnswer) => void;
}

function Begin({ reset: { name }, onAnswer }: Answered & { reset: ResetAnswer }) {
  const { busy, problem, run } = useAction();
  const begin = () => run(async () => onAnswer(await ask<ResetAnswer>("POST", PATH, { name })));
  return (
    <>
      <p class="hint">
        Erases what was counted, all settings, tokens and passwords, and the Wi-Fi. The system
        stays, and the set-up begins anew, as with a new card. Download a backup first if you may
        want anything back.
      </p>
      <div class="row">
        <AskFirst
          label="Erase everything…"
          disabled={busy}
          title="Erase everything on this machine?"
          text="All data and settings are gone for good. Deck, screen and this page count ten seconds down, in which you can stop it. Then the box restarts without its Wi-Fi: it needs a cable, or to be told of the Wi-Fi again."
          yes="Erase"
          word={name}
          onYes={begin}
        />
      </div>
      <Problem text={problem} />
    </>
  );
}

function Counting({ seconds, onAnswer }: Answered & { seconds: number }) {
  const { busy, problem, run } = useAction();
  const stop = () => run(async () => onAnswer(await ask<ResetAnswer>("DELETE", PATH)));
  return (
    <>
      <p class="notice bad" role="status">
        {seconds === 0
          ? "The box restarts and erases its data. Leave it powered. In about two minutes it shows a setup code on its deck and screen."
          : `Everything on this machine is erased in ${counted(seconds, "second")}.`}
      </p>
      {seconds > 0 && (
        <div class="row">
          <button type="button" class="primary" disabled={busy} onClick={stop}>
            Stop it
          </button>
        </div>
      )}
      <Problem text={problem} />
    </>
  );
}
