import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../../appliance/base/message-of.ts";
import type { RescueAnswer, UpdateView } from "../../appliance/control/wire.ts";
import { AskError, ask } from "./api.ts";
import { FileButton } from "./box/files.tsx";
import { UpdateCard } from "./box/update-card.tsx";
import { AskFirst } from "./confirm.tsx";
import { SignedOutContext } from "./context.ts";
import { Card, Problem } from "./parts.tsx";
import { Failed, Opening, SignIn } from "./sign-in.tsx";
import { useAction } from "./use-action.ts";
import { usePolled } from "./use-polled.ts";

type Standing =
  | { state: "opening" }
  | { state: "signed-out" }
  | { state: "failed"; message: string }
  | { state: "open"; rescue: RescueAnswer };

const ASK_AGAIN_MS = 1_000;

/** The page of a box whose data cannot be used, with advice. */
function Rescue() {
  const [standing, setStanding] = useState<Standing>({ state: "opening" });
  const read = async () => {
    try {
      setStanding({ state: "open", rescue: await ask<RescueAnswer>("GET", "api/rescue") });
    } catch (error) {
      const message = messageOf(error);
      const isSignedOut = error instanceof AskError && error.kind === "unauthorized";
      setStanding(isSignedOut ? { state: "signed-out" } : { state: "failed", message });
    }
  };
  useEffect(() => void read(), []);

  switch (standing.state) {
    case "opening":
      return <Opening />;
    case "signed-out":
      return <SignIn onSignedIn={read} />;
    case "failed":
      return <Failed message={standing.message} onAgain={read} />;
    case "open":
      return (
        <SignedOutContext.Provider value={() => setStanding({ state: "signed-out" })}>
          <Repair rescue={standing.rescue} />
        </SignedOutContext.Provider>
      );
  }
}

function Repair({ rescue }: { rescue: RescueAnswer }) {
  const [isDone, setDone] = useState(false);
  const done = () => {
    setDone(true);
    void repaired().then(() => location.reload());
  };
  return (
    <div class="page control">
      <header class="top">
        <img src="favicon.svg" alt="Tallydeck" width="26" height="26" />
      </header>
      <main class="stack">
        <h1>The data of this machine cannot be used</h1>
        <p class="notice bad">{rescue.problem}</p>
        <p>Pages that are counted work as ever, but nothing is counted until this is repaired.</p>
        {isDone ? (
          <p role="status">Done. The machine starts again…</p>
        ) : (
          <div class="columns">
            {rescue.mayGoBack && <GoBack onDone={done} />}
            <Restore onDone={done} />
            {rescue.mayStartAnew && <StartAnew onDone={done} />}
            {rescue.hasUpdates && <Updates />}
          </div>
        )}
      </main>
    </div>
  );
}

interface WayProps {
  onDone: () => void;
}

function Restore({ onDone }: WayProps) {
  const { busy, problem, run } = useAction();
  const restore = async (file: File) => {
    if (await run(() => ask("POST", "api/restore", file))) onDone();
  };
  return (
    <Card id="restore" title="Restore a backup">
      <p class="hint">
        Everything that was counted until the backup was made comes back, with all settings. Push
        tokens stay where they can still be read.
      </p>
      <div class="row">
        <FileButton label="Restore…" accept=".db" disabled={busy} onFile={restore} />
      </div>
      {busy && <p role="status">The backup is being looked through. This takes a while…</p>}
      <Problem text={problem} />
    </Card>
  );
}

function GoBack({ onDone }: WayProps) {
  const { busy, problem, run } = useAction();
  const goBack = async () => {
    if (await run(() => ask("POST", "api/rescue/go-back"))) onDone();
  };
  return (
    <Card id="back" title="Go back">
      <p class="hint">
        The machine takes the data that it had before the restore. What was restored goes; its
        backup stays where you have it.
      </p>
      <div class="row">
        <button type="button" class="primary" disabled={busy} onClick={goBack}>
          Go back to the data from before
        </button>
      </div>
      <Problem text={problem} />
    </Card>
  );
}

function StartAnew({ onDone }: WayProps) {
  const { busy, problem, run } = useAction();
  const start = async () => {
    if (await run(() => ask("POST", "api/rescue/start-anew"))) onDone();
  };
  return (
    <Card id="anew" title="Start anew">
      <p class="hint">
        The machine begins with no numbers, no tokens and no settings. The damaged file is kept
        beside the new one, for somebody who can read something of it.
      </p>
      <div class="row">
        <AskFirst
          label="Start anew…"
          disabled={busy}
          title="Start anew?"
          text="The machine forgets everything it has counted. If you have a backup, restore that instead."
          yes="Start anew"
          onYes={start}
        />
      </div>
      <Problem text={problem} />
    </Card>
  );
}

/** The updates, since another release may be able to use the data. */
function Updates() {
  const [update] = usePolled<UpdateView>("api/update", ASK_AGAIN_MS);
  const running = update?.running.release;
  const shown = useRef(running);
  useEffect(() => {
    // The page is of the release before.
    if (shown.current !== undefined && running !== shown.current) location.reload();
    shown.current = running;
  }, [running]);
  return <UpdateCard update={update ?? null} />;
}

/** Resolves when the box has restarted, perhaps with the next problem. */
async function repaired(): Promise<void> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
    try {
      await ask("GET", "api/rescue");
      return;
    } catch (error) {
      if (!(error instanceof AskError && error.kind === "offline")) return;
    }
  }
}

const app = document.getElementById("app");
if (app) render(<Rescue />, app);
