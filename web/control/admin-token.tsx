import { useState } from "preact/hooks";
import { Dialog } from "../shared/dialog.tsx";
import { ask } from "./api.ts";
import { Problem, Secret } from "./parts.tsx";
import { useAction } from "./use-action.ts";

/** A button that makes the admin token, and the token once it is made. */
export function AdminToken({ button }: { button: string }) {
  const [token, setToken] = useState("");
  const { busy, problem, run } = useAction();
  const make = () =>
    run(async () => setToken((await ask<{ token: string }>("POST", "api/admin-token")).token));
  return (
    <>
      {token !== "" && <Secret title="Your admin token." token={token} label="the admin token" />}
      <Problem text={problem} />
      {token === "" && (
        <div class="row">
          <button type="button" class="primary" disabled={busy} onClick={make}>
            {button}
          </button>
        </div>
      )}
    </>
  );
}

/** Offered to who came in by the setup code: with a token the code leaves the deck. */
export function AdminTokenOffer({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Make it yours" onClose={onClose}>
      <div class="stack">
        <p>
          With an admin token you can sign in anywhere and read every site's dashboard. Once there
          is one, the setup code no longer stands on the deck for everyone to see.
        </p>
        <p class="hint">If the box has an admin token already, a new one takes its place.</p>
        <AdminToken button="Make an admin token" />
        <div class="actions">
          <button type="button" onClick={onClose}>
            Close
          </button>
        </div>
      </div>
    </Dialog>
  );
}
