import { groupOfHost } from "../../../appliance/base/hosts/host-group.ts";
import { comparable } from "./hosts.ts";

export type SourceKind = "direct" | "search" | "assistant" | "social" | "mail" | "other";

/** Hosts of mailboxes, apps for mail, and what campaigns by mail are called. */
const MAIL = /^(?:web|m)?e?-?mail[.-]|\.mail\.|^outlook\.|android\.gm$|^(?:e-?mail|newsletter)$/i;

/** The kind of a referrer's host, or of a campaign's source. */
export function kindOfSource(value: string): SourceKind {
  if (value === "direct") return "direct";
  if (MAIL.test(value)) return "mail";
  const group = groupOfHost(comparable("source", value));
  return group === "referral" ? "other" : group;
}
