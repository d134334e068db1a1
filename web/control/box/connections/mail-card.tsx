import type { MailAnswer, MailChange } from "../../../../appliance/control/wire.ts";
import { AnswerCard, useNow } from "../../parts.tsx";
import { ago } from "../../times.ts";
import type { Polled } from "../../use-polled.ts";
import { type Row, SettingsForm } from "../settings-form.tsx";

const PATH = "api/mail";

const ROWS: readonly Row<MailChange>[] = [
  { key: "host", label: "Server", placeholder: "mail.example.org", isRequired: true },
  { kind: "sign-in" },
  {
    key: "from",
    label: "Sender",
    placeholder: "me@example.org",
    hint: "A mail address that this user may send as.",
    isRequired: true,
  },
];
const MORE: readonly Row<MailChange>[] = [
  {
    kind: "choice",
    key: "security",
    label: "TLS",
    // Each has its usual port.
    options: [
      { id: "tls", name: "From the start", sets: { port: 465 } },
      { id: "starttls", name: "STARTTLS", sets: { port: 587 } },
    ],
  },
  { kind: "number", key: "port", label: "Port", isRequired: true },
  {
    kind: "certificates",
    key: "ca",
    label: "Certificates to trust",
    hint: "PEM, for a server whose certificate nobody else has signed.",
  },
];

/** The mail server by which the box sends digests. */
export function MailCard({ polled: [answer, show] }: { polled: Polled<MailAnswer> }) {
  return (
    <AnswerCard
      id="mail"
      title="Mail"
      help="digest#where-it-goes"
      answer={answer}
      hint="With a mail server, as your own mail program has it, the machine can send digests by mail. What they tell and when is set for each site, under Sites."
    >
      {(mail) => (
        <>
          <LastMail mail={mail} />
          <SettingsForm<MailChange, MailAnswer>
            path={PATH}
            answer={mail}
            rows={ROWS}
            more={MORE}
            removal={mail.host === "" ? undefined : { host: "" }}
            onSaved={show}
          />
        </>
      )}
    </AnswerCard>
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
