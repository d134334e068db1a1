import { type Having, integerFrom, oneAmong, TEXT } from "../../base/input/schema.ts";

export const MAIL_FIELDS = {
  /** A host name or address; empty until one is given. */
  host: TEXT,
  port: { ...integerFrom(1, 65_535), description: "must be a port from 1 to 65535" },
  /** `tls`: from the first byte on, as at port 465; `starttls`: after a greeting, as at 587. One of them there must be. */
  security: { ...oneAmong("tls", "starttls"), description: "must be tls or starttls" },
  /** Empty where the server asks for none. */
  user: TEXT,
  password: TEXT,
  /** The mail address that it sends as. */
  from: TEXT,
  /** Certificates (PEM) of who signs the server's; empty for those that the system trusts. */
  ca: TEXT,
};
export type MailSettings = Having<typeof MAIL_FIELDS>;

export const FIRST_MAIL_SETTINGS: MailSettings = {
  host: "",
  port: 465,
  security: "tls",
  user: "",
  password: "",
  from: "",
  ca: "",
};

/** The last mail, or try, of this run of the box. */
export interface LastMail {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Null where it was sent. */
  readonly problem: string | null;
}
