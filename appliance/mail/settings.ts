import { isHost, isMailAddress } from "../base/names.ts";
import { invalidField } from "../base/refusal.ts";
import { CERTIFICATES_RULE, isCertificates } from "../system/certificates.ts";

/** The mail server by which the box sends mail. */
export interface MailSettings {
  /** A host name or address; empty until one is given. */
  readonly host: string;
  readonly port: number;
  /** `tls`: from the first byte on, as at port 465; `starttls`: after a greeting, as at 587. One of them there must be. */
  readonly security: "tls" | "starttls";
  /** Empty where the server asks for none. */
  readonly user: string;
  readonly password: string;
  /** The mail address that it sends as. */
  readonly from: string;
  /** Certificates (PEM) of who signs the server's; empty for those that the system trusts. */
  readonly ca: string;
}

export const FIRST_MAIL_SETTINGS: MailSettings = {
  host: "",
  port: 465,
  security: "tls",
  user: "",
  password: "",
  from: "",
  ca: "",
};

const LONGEST = 256;

/**
 * Settings as a person gave them, in the form in which they are kept. An empty host takes the server away, with all of it.
 * @throws {Refusal} `invalid_field`
 */
export function checkMailSettings(given: MailSettings): MailSettings {
  const host = given.host.trim().toLowerCase();
  if (host === "") return FIRST_MAIL_SETTINGS;
  if (!isHost(host) || /:\d+$/.test(host))
    throw invalidField(
      "host",
      "must be a mail server's name like mail.example.org, without a port.",
    );
  const from = given.from.trim();
  if (!isMailAddress(from))
    throw invalidField("from", "must be a mail address like me@example.org.");
  for (const field of ["user", "password"] as const)
    if (given[field].length > LONGEST || given[field].includes("\0"))
      throw invalidField(field, `must have at most ${LONGEST} characters.`);
  if (given.password !== "" && given.user === "")
    throw invalidField("user", "is missing: a password goes with a user.");
  const ca = given.ca.trim();
  if (ca !== "" && !isCertificates(ca)) throw invalidField("ca", `must be ${CERTIFICATES_RULE}.`);
  return { ...given, host, from, ca };
}
