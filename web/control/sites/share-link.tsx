import { useState } from "preact/hooks";
import type { NewReadToken, Site } from "../../../appliance/control/wire.ts";
import { ask } from "../api.ts";
import { Confirm } from "../confirm.tsx";
import { useShell } from "../context.ts";
import { Problem, Secret } from "../parts.tsx";
import { useAction } from "../use-action.ts";

interface ShareLinkProps {
  site: Site;
  /** where the site's collector answers, without a slash at the end */
  base: string;
}

/** The share link of a site's traffic, with buttons to create, replace and revoke it. */
export function ShareLink({ site: { id, shared }, base }: ShareLinkProps) {
  const { actions } = useShell();
  const { busy, problem, run } = useAction();
  const [token, setToken] = useState("");
  const [question, setQuestion] = useState<"new" | "revoke" | null>(null);
  // Only the first value counts: the owner may close it.
  const [isOpen] = useState(shared);
  const path = `api/sites/${id}/share`;
  const make = () =>
    run(async () => {
      setToken((await ask<NewReadToken>("POST", path)).token);
      await actions.readSites();
    });
  const revoke = () =>
    run(async () => {
      await ask("DELETE", path);
      setToken("");
      await actions.readSites();
    });
  return (
    <details open={isOpen}>
      <summary>Share</summary>
      <div class="stack share">
        <p class="hint">
          {shared
            ? "Whoever has the link sees this site's traffic: no survey answers, no other site."
            : "A link of its own shows this site's traffic to whoever has it: no survey answers, no other site."}
        </p>
        {token !== "" && (
          <Secret
            title={`The link to ${id}.`}
            token={`${base}/dashboard?site=${id}#share=${token}`}
            label={`the link to ${id}`}
          />
        )}
        <Problem text={problem} />
        <div class="row">
          <button
            type="button"
            disabled={busy}
            onClick={() => (shared ? setQuestion("new") : void make())}
          >
            {shared ? "New link" : "Make a link"}
          </button>
          {shared && (
            <button
              type="button"
              class="danger"
              disabled={busy}
              onClick={() => setQuestion("revoke")}
            >
              Revoke…
            </button>
          )}
        </div>
      </div>
      {question === "new" && (
        <Confirm
          title={`A new link to ${id}?`}
          text="The one there is stops working."
          yes="Make a new link"
          onYes={make}
          onClose={() => setQuestion(null)}
        />
      )}
      {question === "revoke" && (
        <Confirm
          title={`Revoke the link to ${id}?`}
          text="It opens nothing any more, whoever has it."
          yes="Revoke"
          onYes={revoke}
          onClose={() => setQuestion(null)}
        />
      )}
    </details>
  );
}
