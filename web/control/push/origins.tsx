import { useState } from "preact/hooks";
import { Field } from "../../shared/field.tsx";
import { Card, Form, Problem } from "../parts.tsx";
import { useAction } from "../use-action.ts";
import { useOrigins } from "../use-origins.ts";

/** The list of origins to which keys may send requests. */
export function AllowedOrigins() {
  const { list, allow, remove } = useOrigins();
  const origins = list ?? [];
  const { busy, problem, run } = useAction();
  const [typed, setTyped] = useState("");
  const submit = async () => {
    if (await run(() => allow(typed))) setTyped("");
  };
  return (
    <Card id="origins" title="Allowed addresses" help="deck#requests">
      <p class="hint">
        A key can send an HTTP request when it is pressed, but only to the addresses in this list:
        so nobody who gets hold of a key’s settings can reach the rest of your network.
      </p>
      {origins.length > 0 && (
        <ul class="entries">
          {origins.map((origin) => (
            <li key={origin}>
              <div class="entry">
                <div>
                  <code>{origin}</code>
                </div>
                <button
                  type="button"
                  disabled={busy}
                  class="danger"
                  aria-label={`Remove ${origin}`}
                  onClick={() => run(() => remove(origin))}
                >
                  Remove
                </button>
              </div>
            </li>
          ))}
        </ul>
      )}
      <Form class="row" onSubmit={submit}>
        <Field
          label="Allow requests to"
          placeholder="http://192.168.1.20:8123"
          isRequired
          value={typed}
          onInput={setTyped}
        />
        <button type="submit" class="primary" disabled={busy}>
          Allow
        </button>
      </Form>
      <Problem text={problem} />
    </Card>
  );
}
