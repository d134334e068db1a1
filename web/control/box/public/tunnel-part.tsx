import { useState } from "preact/hooks";
import type { TunnelAnswer } from "../../../../appliance/control/wire.ts";
import { Snippet } from "../../../shared/copy-button.tsx";
import { ask } from "../../api.ts";
import { AskFirst } from "../../confirm.tsx";
import { CodeArea, Form, Problem } from "../../parts.tsx";
import { useAction } from "../../use-action.ts";
import { usePolled } from "../../use-polled.ts";

const PATH = "api/public/tunnel";
const AGAIN_MS = 3_000;

interface TunnelProps {
  tunnel: TunnelAnswer;
  onAnswer: (answer: TunnelAnswer) => void;
}

/**
 * The way in by a server of the owner's, where the home's provider lets no visitor in; on the box
 * only.
 */
export function TunnelPart() {
  const [answer, show] = usePolled<TunnelAnswer>(PATH, AGAIN_MS);
  if (!answer?.possible) return null;
  return (
    <details class="part" open={answer.tunnel !== null}>
      <summary>Through a server of yours</summary>
      <div class="stack">
        <p class="hint">
          Where your provider lets nobody in (CGNAT, DS-Lite), a small server with a public address
          passes visitors on by WireGuard, still encrypted.
        </p>
        {answer.pending && <p role="status">The box is at it…</p>}
        {answer.tunnel === null ? (
          <Paste tunnel={answer} onAnswer={show} />
        ) : (
          <Standing tunnel={answer} onAnswer={show} />
        )}
      </div>
    </details>
  );
}

function Paste({ tunnel: { pending }, onAnswer }: TunnelProps) {
  const { busy, problem, run } = useAction();
  const [conf, setConf] = useState("");
  const submit = () => run(async () => onAnswer(await ask<TunnelAnswer>("POST", PATH, { conf })));
  return (
    <Form onSubmit={submit}>
      <CodeArea
        label="WireGuard configuration"
        hint="The text of a file like wg0.conf. Without a PrivateKey the box makes one, and shows its public half for your server."
        rows={7}
        placeholder={"[Interface]\nAddress = 10.7.0.2/32\n\n[Peer]\nPublicKey = …"}
        value={conf}
        onText={setConf}
      />
      <Problem text={problem} />
      <div class="row">
        <button type="submit" disabled={busy || pending || conf.trim() === ""}>
          Connect
        </button>
      </div>
    </Form>
  );
}

function Standing({ tunnel: { tunnel, heard, pending }, onAnswer }: TunnelProps) {
  const { busy, problem, run } = useAction();
  if (tunnel === null) return null;
  const remove = () => run(async () => onAnswer(await ask<TunnelAnswer>("DELETE", PATH)));
  return (
    <>
      <p role="status">
        {heard
          ? `The server at ${tunnel.endpoint} answers.`
          : `The server at ${tunnel.endpoint} has not answered yet. See that it knows the box’s key:`}
      </p>
      <Snippet text={tunnel.publicKey} label="the box’s public key" />
      <p class="hint">In the tunnel the box is {tunnel.addresses.join(", ")}.</p>
      <Problem text={problem} />
      {tunnel.declared ? (
        <p class="hint">It is that of wireguard.conf on the card, and can be changed there only.</p>
      ) : (
        <div class="row">
          <AskFirst
            label="Take it away…"
            class="danger"
            disabled={busy || pending}
            title="Take the tunnel away?"
            text="Visitors who come through it are not counted any more. Its key is forgotten."
            yes="Take it away"
            onYes={remove}
          />
        </div>
      )}
    </>
  );
}
