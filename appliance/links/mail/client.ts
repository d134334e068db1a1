import { Readable } from "node:stream";
import MailComposer from "nodemailer/lib/mail-composer";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import type { SendOutcome } from "../../base/send-outcome.ts";
import type { MailSettings } from "./settings.ts";

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The part of its Message-ID before the `@`; another one for each mail. */
  readonly id: string;
  /** Epoch milliseconds. */
  readonly date: number;
}

/** The time limits of a connection and its greeting, and of silence after that. */
const BEGIN_MS = 15_000;
const SILENCE_MS = 60_000;
/** Characters of a server's own words that are shown. */
const SHOWN = 200;

interface MailFailure {
  readonly code?: string | undefined;
  readonly originalCode?: string | undefined;
  readonly message: string;
  /** The last reply of the server, where that is what failed. */
  readonly response?: unknown;
  readonly responseCode?: number | undefined;
  readonly command?: string | undefined;
}

/** Sends a mail over a connection of its own, always by TLS; never rejects. */
export async function sendMail(
  settings: MailSettings,
  mail: Mail,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const { promise, resolve } = Promise.withResolvers<SendOutcome>();
  const message = Readable.from([await composed(settings, mail)]);
  // From then on the server may have all of it.
  let isHandedOver = false;
  message.once("end", () => {
    isHandedOver = true;
  });
  const { host, port, security, user, password, ca } = settings;
  const smtp = new SMTPConnection({
    host,
    port,
    secure: security === "tls",
    requireTLS: true,
    connectionTimeout: BEGIN_MS,
    greetingTimeout: BEGIN_MS,
    socketTimeout: SILENCE_MS,
    maxResponseSize: 65_536,
    tls: ca === "" ? {} : { ca },
  });
  const failed = (error: MailFailure) => resolve(outcomeOf(error, isHandedOver, host));
  const stopped = () => failed({ message: "stopped", code: "ABORT_ERR" });
  signal.addEventListener("abort", stopped, { once: true });
  smtp.on("error", failed);
  const send = () =>
    smtp.send({ from: settings.from, to: mail.to }, message, (error) => {
      if (error) failed(error);
      else resolve({ kind: "sent" });
    });
  smtp.connect((error) => {
    if (error) failed(error);
    else if (user === "") send();
    else
      smtp.login({ credentials: { user, pass: password } }, (refused) =>
        refused ? failed(refused) : send(),
      );
  });
  if (signal.aborted) stopped();
  const outcome = await promise;
  signal.removeEventListener("abort", stopped);
  smtp.close();
  message.destroy();
  return outcome;
}

function composed(
  { from }: MailSettings,
  { to, subject, text, html, id, date }: Mail,
): Promise<Buffer> {
  const composer = new MailComposer({
    from: { name: "Tallydeck", address: from },
    to,
    subject,
    text,
    html,
    date: new Date(date),
    messageId: `<${id}@${from.slice(from.lastIndexOf("@") + 1)}>`,
    // RFC 3834: who is away answers no machine.
    headers: { "Auto-Submitted": "auto-generated" },
  });
  return composer.compile().build();
}

function outcomeOf(error: MailFailure, isHandedOver: boolean, host: string): SendOutcome {
  const { code = "", originalCode = "", responseCode, command = "" } = error;
  const noTls: SendOutcome = {
    kind: "again",
    why: `${host} offers no TLS at this port. Check the port, and how TLS begins there.`,
  };
  if (command === "STARTTLS" && !/CERT|SIGNATURE/.test(originalCode)) return noTls;
  if (responseCode !== undefined) return refusalOf(error, responseCode, command);
  if (isHandedOver)
    return {
      kind: "unsure",
      why: `The connection with ${host} ended before it said whether it took the mail.`,
    };
  const again = (why: string): SendOutcome => ({ kind: "again", why });
  const codes = `${code} ${originalCode}`;
  if (/ABORT/.test(codes)) return again("The machine was stopped.");
  if (/CERT|SIGNATURE|SELF_SIGNED/.test(codes))
    return again(
      `The certificate of ${host} is not good for it. Check the server's name; where it signs its own, give its certificate under Machine.`,
    );
  if (/EAUTH/.test(codes)) return again(`${host} takes no user and password.`);
  if (/ETLS|EPROTO|SSL/.test(codes)) return noTls;
  if (/EDNS|ENOTFOUND|EAI_AGAIN/.test(codes))
    return again(`There is no host ${host}, or no way to ask for it.`);
  if (/ECONNREFUSED/.test(codes)) return again(`Nobody listens at this port of ${host}.`);
  if (/EHOSTUNREACH|ENETUNREACH/.test(codes)) return again(`No way leads to ${host}.`);
  return again(`${host} does not answer, or hung up.`);
}

function refusalOf(
  { code, response }: MailFailure,
  responseCode: number,
  command: string,
): SendOutcome {
  const words = String(response)
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, " ")
    .slice(0, SHOWN);
  if (code === "EAUTH")
    return { kind: "again", why: `The mail server refuses this user and password: ${words}` };
  if (responseCode < 500) return { kind: "again", why: `The mail server asks to wait: ${words}` };
  // The address, or the mail itself; all else can be mended under Box.
  const isFinal = command === "RCPT TO" || command === "DATA";
  return { kind: isFinal ? "never" : "again", why: `The mail server refuses it: ${words}` };
}
