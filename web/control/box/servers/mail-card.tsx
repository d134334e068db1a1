import type { MailAnswer, MailChange } from "../../../../appliance/control/wire.ts";
import { Field } from "../../../shared/field.tsx";
import { CardTitle, Choice, Problem, useNow } from "../../parts.tsx";
import { ago } from "../../times.ts";
import { usePolled } from "../../use-polled.ts";
import { CertificatesField } from "../certificates-field.tsx";
import { SignInFields } from "./sign-in-fields.tsx";
import { useSettings } from "./use-settings.ts";

const PATH = "api/mail";
const AGAIN_MS = 10_000;
/** The usual port of each way to begin TLS. */
const PORTS = { tls: 465, starttls: 587 } as const;

/** The mail server by which the box sends digests. */
export function MailCard() {
  const [mail, show] = usePolled<MailAnswer>(PATH, AGAIN_MS);
  return (
    <section class="card stack" aria-labelledby="mail-title" aria-busy={mail === undefined}>
      <CardTitle id="mail-title" help="digest#where-it-goes">
        Mail
      </CardTitle>
      <p class="hint">
        With a mail server, as your own mail program has it, the machine can send digests by mail.
        What they tell and when is set for each site, under Sites.
      </p>
      {mail === undefined ? (
        <p class="hint">Asking the machine…</p>
      ) : (
        <>
          <LastMail mail={mail} />
          <Settings mail={mail} onSaved={show} />
        </>
      )}
    </section>
  );
}

function LastMail({ mail: { last } }: { mail: MailAnswer }) {
  const now = useNow();
  if (last === null) return null;
  return last.problem === null ? (
    <p role="status">The last mail was sent {ago(last.at, now)}.</p>
  ) : (
    <p role="status" class="notice bad">
      The last mail was not sent, {ago(last.at, now)}. {last.problem}
    </p>
  );
}

function Settings({ mail, onSaved }: { mail: MailAnswer; onSaved: (answer: MailAnswer) => void }) {
  const { busy, problem, done, draft, isChanged, edit, save } = useSettings<MailChange, MailAnswer>(
    PATH,
    onSaved,
  );
  const now = { ...mail, password: "", ...draft };
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void save(draft);
      }}
    >
      <Field
        label="Server"
        placeholder="mail.example.org"
        isRequired
        value={now.host}
        onInput={(host) => edit({ host })}
      />
      <SignInFields
        user={now.user}
        password={now.password}
        hasPassword={mail.hasPassword}
        onEdit={edit}
      />
      <Field
        label="Sender"
        placeholder="me@example.org"
        hint="A mail address that this user may send as."
        isRequired
        value={now.from}
        onInput={(from) => edit({ from })}
      />
      <More fields={now} onEdit={edit} />
      <Problem text={problem} />
      <div class="row">
        <button type="submit" class="primary" disabled={busy || !isChanged}>
          Save
        </button>
        {mail.host !== "" && (
          <button type="button" disabled={busy} onClick={() => void save({ host: "" })}>
            Remove
          </button>
        )}
        <p role="status">{done}</p>
      </div>
    </form>
  );
}

/** The settings that are right for most as they are. */
function More({
  fields: { port, security, ca },
  onEdit,
}: {
  fields: Pick<MailAnswer, "port" | "security" | "ca">;
  onEdit: (change: MailChange) => void;
}) {
  return (
    <details class="part">
      <summary>More settings</summary>
      <div class="stack">
        <Choice
          legend="TLS"
          value={security}
          options={[
            { id: "tls", name: "From the start" },
            { id: "starttls", name: "STARTTLS" },
          ]}
          onChoose={(chosen) => onEdit({ security: chosen, port: PORTS[chosen] })}
        />
        <Field
          label="Port"
          isRequired
          value={String(port)}
          onInput={(text) => onEdit({ port: Number(text) })}
        />
        <CertificatesField
          label="Certificates to trust"
          hint="PEM, for a server whose certificate nobody else has signed."
          value={ca}
          onInput={(text) => onEdit({ ca: text })}
        />
      </div>
    </details>
  );
}
