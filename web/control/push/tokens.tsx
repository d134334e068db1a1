import { useEffect, useState } from "preact/hooks";
import type { NewPushToken, PushToken, PushTokensAnswer } from "../../../appliance/control/wire.ts";
import { Field } from "../../shared/field.tsx";
import { ask } from "../api.ts";
import { AskFirst } from "../confirm.tsx";
import { Card, Form, Problem, Secret, useNow } from "../parts.tsx";
import { ago } from "../times.ts";
import { useAction } from "../use-action.ts";

const PATH = "api/push-tokens";

/** The push tokens, with buttons to create, pause, rotate and revoke them. */
export function Tokens() {
  const [tokens, setTokens] = useState<readonly PushToken[] | null>(null);
  const [fresh, setFresh] = useState<NewPushToken | null>(null);
  const now = useNow();

  const read = async () => setTokens((await ask<PushTokensAnswer>("GET", PATH)).tokens);
  const { busy, problem, run } = useAction(read);
  useEffect(() => {
    void run(async () => {});
  }, []);

  const create = (name: string, use?: "logs") =>
    run(async () => setFresh(await ask<NewPushToken>("POST", PATH, { name, ...(use && { use }) })));
  const pause = ({ id }: PushToken, paused: boolean) =>
    run(() => ask("PATCH", `${PATH}/${id}`, { paused }));
  const rotate = ({ id }: PushToken) =>
    run(async () => setFresh(await ask<NewPushToken>("POST", `${PATH}/${id}/rotate`)));
  const revoke = ({ id }: PushToken) =>
    run(async () => {
      await ask("DELETE", `${PATH}/${id}`);
      if (fresh?.id === id) setFresh(null);
    });

  return (
    <Card id="tokens" title="Push tokens" help="push-api">
      <p class="hint">
        A token lets a program send to any channel and read it, and nothing else. Make one for each
        program, so that one can be revoked without the others. One for access logs sends their
        lines, and does nothing else.
      </p>
      {fresh !== null && (
        <Secret
          title={`The token “${fresh.name}”.`}
          token={fresh.token}
          label={`the token ${fresh.name}`}
        />
      )}
      <Problem text={problem} />
      {tokens !== null && tokens.length > 0 && (
        <ul class="entries">
          {tokens.map((token) => (
            <Token
              key={token.id}
              token={token}
              now={now}
              busy={busy}
              onPause={(paused) => pause(token, paused)}
              onRotate={() => rotate(token)}
              onRevoke={() => revoke(token)}
            />
          ))}
        </ul>
      )}
      <NewToken busy={busy} onCreate={create} />
    </Card>
  );
}

interface TokenProps {
  token: PushToken;
  now: number;
  busy: boolean;
  onPause: (paused: boolean) => void;
  onRotate: () => void;
  onRevoke: () => void;
}

function Token({ token, now, busy, onPause, onRotate, onRevoke }: TokenProps) {
  const { name, prefix, scopes, createdAt, lastUsedAt } = token;
  const isPaused = scopes.length === 0;
  return (
    <li>
      <div class="entry">
        <div>
          <h3>
            {name} {isPaused && <span class="tag">paused</span>}
          </h3>
          <p class="hint">
            <code>tdp_{prefix}…</code> · made {ago(createdAt, now)} ·{" "}
            {lastUsedAt === null ? "never used" : `used ${ago(lastUsedAt, now)}`}
            {scopes.length > 0 &&
              ` · may ${scopes.map((scope) => (scope === "logs" ? "send access logs" : scope)).join(" and ")}`}
          </p>
        </div>
        <fieldset class="row" aria-label={name}>
          <button type="button" disabled={busy} onClick={() => onPause(!isPaused)}>
            {isPaused ? "Resume" : "Pause"}
          </button>
          <AskFirst
            label="Replace"
            disabled={busy}
            title={`Replace “${name}”?`}
            text="It gets a new secret, shown once. Programs that use the old one are refused from then on."
            yes="Replace"
            onYes={onRotate}
          />
          <AskFirst
            label="Revoke"
            class="danger"
            disabled={busy}
            title={`Revoke “${name}”?`}
            text="Programs that use it are refused from then on. This cannot be undone."
            yes="Revoke"
            onYes={onRevoke}
          />
        </fieldset>
      </div>
    </li>
  );
}

interface NewTokenProps {
  busy: boolean;
  onCreate: (name: string, use?: "logs") => Promise<boolean>;
}

function NewToken({ busy, onCreate }: NewTokenProps) {
  const [name, setName] = useState("");
  const submit = async ({ submitter }: SubmitEvent) => {
    const use = (submitter as HTMLButtonElement | null)?.value === "logs" ? "logs" : undefined;
    if (await onCreate(name, use)) setName("");
  };
  return (
    <Form class="row" onSubmit={submit}>
      <Field
        label="New token for"
        placeholder="Home Assistant"
        isRequired
        value={name}
        onInput={setName}
      />
      <button type="submit" class="primary" disabled={busy}>
        Make a token
      </button>
      <button type="submit" value="logs" disabled={busy}>
        Make one for access logs
      </button>
    </Form>
  );
}
