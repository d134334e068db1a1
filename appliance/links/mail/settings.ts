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
