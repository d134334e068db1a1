import { FLAG, type Having, TEXT } from "../../base/input/schema.ts";

/** Fields of the settings of the public address, which are kept while it is off. */
export const PUBLIC_FIELDS = {
  enabled: FLAG,
  /** A DNS name, lower case and in ASCII, or an address; empty until one is given. */
  name: TEXT,
  /** Whether the owner agrees to the CA's terms, and to the name in public logs. */
  agreed: FLAG,
  /** URL of the CA's ACME directory; empty for Let's Encrypt. */
  directory: TEXT,
  /** Certificates (PEM) of authorities for that directory; empty for those that the system trusts. */
  ca: TEXT,
  /** The provider of dynamic DNS, by id or URL; empty for none. */
  ddns: TEXT,
  ddnsUser: TEXT,
  ddnsToken: TEXT,
  /** Whether the router is asked to open the port. */
  openPort: FLAG,
  /** Whether pages and reads answer on the public name. */
  dashboard: FLAG,
};
export type PublicSettings = Having<typeof PUBLIC_FIELDS>;

export const FIRST_PUBLIC_SETTINGS: PublicSettings = {
  enabled: false,
  name: "",
  agreed: false,
  directory: "",
  ca: "",
  ddns: "",
  ddnsUser: "",
  ddnsToken: "",
  openPort: true,
  dashboard: false,
};
