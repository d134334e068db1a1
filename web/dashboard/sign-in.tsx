import { useState } from "preact/hooks";
import { Field } from "../shared/field.tsx";
import { STILL_READING } from "./skeleton.tsx";
import { SHARE_ENDED } from "./use-token.ts";

interface SignInProps {
  site: string;
  problem: string;
  busy: boolean;
  /** the answer takes longer than people expect */
  slow: boolean;
  onSignIn: (site: string, token: string, remember: boolean) => void;
}

/** The form for the token, which is sent to the collector in a header, and never becomes part of the address. */
export function SignIn({ site, problem, busy, slow, onSignIn }: SignInProps) {
  const [remember, setRemember] = useState(true);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const form = new FormData(event.currentTarget);
    const text = (key: string) => String(form.get(key) ?? "").trim();
    onSignIn(text("site"), text("token"), remember);
  };
  return (
    <main class="sign-in">
      <form class="card" onSubmit={submit}>
        <h1>
          <img src="favicon.svg" alt="" width="32" height="32" /> Tallydeck
        </h1>
        <Field
          label="Site"
          name="site"
          initial={site}
          autocomplete="username"
          hint="The site's id. Left empty, the admin token opens all of them."
        />
        <Field
          label="Token"
          name="token"
          isSecret
          isRequired
          autocomplete="current-password"
          hint="The site's own token, or the admin token."
        />
        <label class="check">
          <input
            type="checkbox"
            checked={remember}
            onChange={(event) => setRemember(event.currentTarget.checked)}
          />
          Stay signed in on this browser
        </label>
        <button type="submit" class="primary" disabled={busy}>
          {busy ? "Opening…" : "Open dashboard"}
        </button>
        {/* A person with a link has no site here. */}
        {problem !== SHARE_ENDED && (
          <p>
            First time here? <a href="help">Set up a site</a>
          </p>
        )}
        {/* Below all else: what is said moves nothing. */}
        {problem !== "" && (
          <p class="notice bad" role="alert">
            {problem}
          </p>
        )}
        {slow && <p role="status">{STILL_READING}</p>}
      </form>
    </main>
  );
}
