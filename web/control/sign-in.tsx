import { useState } from "preact/hooks";
import { messageOf } from "../../appliance/base/message-of.ts";
import { Field } from "../shared/field.tsx";
import { keepChoice, loadChoice } from "../shared/token.ts";
import { ask } from "./api.ts";
import { Choice, Form, Input, Problem } from "./parts.tsx";

type Way = "code" | "token";

const WAYS = [
  { id: "code", name: "Setup code" },
  { id: "token", name: "Admin token" },
] as const;

/** A form for the setup code or the admin token. The box recognizes this browser by a cookie afterwards. */
export function SignIn({ onSignedIn }: { onSignedIn: (byCode: boolean) => Promise<void> }) {
  const [way, setWay] = useState<Way>(loadChoice("sign-in") === "token" ? "token" : "code");
  const [isChosen, setChosen] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const choose = (next: Way) => {
    setWay(next);
    setChosen(true);
    setProblem("");
  };
  const submit = async (form: HTMLFormElement) => {
    const typed = String(new FormData(form).get(way) ?? "").trim();
    const body = way === "code" ? { code: typed.replaceAll(/\D/g, "") } : { token: typed };
    setBusy(true);
    setProblem("");
    try {
      await ask("POST", "api/session", body);
      keepChoice("sign-in", way);
      await onSignedIn(way === "code");
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <main class="sign-in">
      <Form class="card" onSubmit={({ currentTarget }) => submit(currentTarget)}>
        <h1>
          <img src="favicon.svg" alt="" width="32" height="32" /> Tallydeck
        </h1>
        <Choice legend="Sign in with" value={way} options={WAYS} onChoose={choose} />
        {way === "code" ? (
          <CodeField key="code" isFocused={!isChosen} />
        ) : (
          <TokenField key="token" isFocused={!isChosen} />
        )}
        <Problem text={problem} />
        <button type="submit" class="primary" disabled={busy}>
          {busy ? "Opening…" : "Sign in"}
        </button>
      </Form>
    </main>
  );
}

function CodeField({ isFocused }: { isFocused: boolean }) {
  return (
    <Input
      isFocused={isFocused}
      label="Six digits"
      hint="They are on the deck and on the screen of the machine until it has an admin token. After that, hold any key of the deck for five seconds to see them for ten minutes."
      name="code"
      class="digits"
      required
      inputMode="numeric"
      autocomplete="one-time-code"
      pattern="\s*\d{3}\s?\d{3}\s*"
      title="six digits"
      placeholder="000 000"
    />
  );
}

function TokenField({ isFocused }: { isFocused: boolean }) {
  return (
    <Field
      isFocused={isFocused}
      label="Admin token"
      hint="Shown once when it was made. Lost it? Use the setup code instead."
      name="token"
      isSecret
      isRequired
      autocomplete="current-password"
    />
  );
}

/** Stands there until the machine has said whether there is a session. */
export function Opening({ text = "Asking the machine…" }: { text?: string }) {
  return (
    <main class="sign-in" aria-busy="true">
      <p role="status">{text}</p>
    </main>
  );
}

/** Stands there where the machine says nothing. */
export function Failed({ message, onAgain }: { message: string; onAgain: () => void }) {
  return (
    <main class="sign-in">
      <div class="card" role="alert">
        <h1>Nothing to show yet</h1>
        <p>{message}</p>
        <button type="button" class="primary" onClick={onAgain}>
          Try again
        </button>
      </div>
    </main>
  );
}
