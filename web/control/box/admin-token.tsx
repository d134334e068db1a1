import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { AdminTokenAnswer, NewReadToken } from "../../../appliance/control/wire.ts";
import { ask } from "../api.ts";
import { Confirm } from "../confirm.tsx";
import { Problem, Secret } from "../parts.tsx";
import { useAction } from "../use-action.ts";

interface AdminTokenProps {
  button: string;
  class?: string;
  /** stands beside the button */
  children?: ComponentChildren;
}

/** A button that creates the admin token, and shows it once. */
export function AdminToken({ button, class: className, children }: AdminTokenProps) {
  const [token, setToken] = useState("");
  const [isAsked, setAsked] = useState(false);
  const { busy, problem, run } = useAction();
  const make = async () => setToken((await ask<NewReadToken>("POST", "api/admin-token")).token);
  const begin = () =>
    run(async () => {
      const { exists } = await ask<AdminTokenAnswer>("GET", "api/admin-token");
      if (exists) setAsked(true);
      else await make();
    });
  return (
    <>
      {token !== "" && <Secret title="Your admin token." token={token} label="the admin token" />}
      <Problem text={problem} />
      <div class="row">
        {token === "" && (
          <button type="button" class={className} disabled={busy} onClick={begin}>
            {button}
          </button>
        )}
        {children}
      </div>
      {isAsked && (
        <Confirm
          title="Make a new admin token?"
          text="The one there is becomes worthless at once: scripts and dashboards that use it stop, and every other browser is signed out."
          yes="Make a new one"
          onYes={() => run(make)}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}

/** Offers a token to an owner who signed in by the setup code. With a token, decks do not show the code any more. */
export function AdminTokenOffer({ onClose }: { onClose: () => void }) {
  return (
    <section class="card stack" aria-label="Make it yours">
      <p>
        With an admin token you can sign in anywhere and read every site's dashboard. Once there is
        one, the setup code no longer stands on the deck for everyone to see.
      </p>
      <AdminToken button="Make an admin token">
        <button type="button" class="quiet" onClick={onClose}>
          Close
        </button>
      </AdminToken>
    </section>
  );
}
