import { useEffect, useState } from "preact/hooks";
import type { PowerAction } from "../../../../appliance/control/wire.ts";
import { ask } from "../../api.ts";
import { AskFirst } from "../../confirm.tsx";
import { useShell } from "../../context.ts";
import { Problem } from "../../parts.tsx";
import { useAction } from "../../use-action.ts";

interface Words {
  button: string;
  question: string;
  text: string;
  done: string;
}

const NOTHING_COUNTED = "Until it is back nothing is counted and the decks are dark.";

const WORDS: Readonly<Record<PowerAction, Words>> = {
  restart: {
    button: "Restart",
    question: "Restart the box?",
    text: `This takes about a minute. ${NOTHING_COUNTED}`,
    done: "The box restarts. This page goes on by itself when it is back.",
  },
  shutdown: {
    button: "Shut down",
    question: "Shut the box down?",
    text: `To start it again, somebody has to unplug its power and plug it in. ${NOTHING_COUNTED}`,
    done: "The box shuts down. Wait until its green light stays off, then unplug it.",
  },
};

/** Buttons that restart the box or shut it down, after a confirmation. */
export function Power() {
  const { busy, problem, run } = useAction();
  const [done, setDone] = useState("");
  const { opened } = useShell().box;
  // The box is back, or never went.
  useEffect(() => setDone(""), [opened]);
  const act = (action: PowerAction) =>
    run(async () => {
      await ask("POST", "api/power", { action });
      setDone(WORDS[action].done);
    });
  return (
    <>
      <div class="row">
        {(["restart", "shutdown"] as const).map((action) => (
          <AskFirst
            key={action}
            label={`${WORDS[action].button}…`}
            disabled={busy || done !== ""}
            title={WORDS[action].question}
            text={WORDS[action].text}
            yes={WORDS[action].button}
            onYes={() => act(action)}
          />
        ))}
      </div>
      <Problem text={problem} />
      <p role="status">{done}</p>
    </>
  );
}
