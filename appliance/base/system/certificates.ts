import { X509Certificate } from "node:crypto";
import { invalidField } from "../refusal.ts";

/** The form in which certificates are given, to end a sentence. */
const CERTIFICATES_RULE = "certificates in PEM, each beginning with -----BEGIN CERTIFICATE-----";
const LONGEST = 32_768;

/** Whether a PEM text has certificates that can be read. */
export function isCertificates(pem: string): boolean {
  const parts = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (parts === null || pem.length > LONGEST) return false;
  try {
    for (const part of parts) new X509Certificate(part);
    return true;
  } catch {
    return false;
  }
}

/**
 * The field `ca` of settings as a person gave it, in the form in which it is kept; empty for none.
 * @throws {Refusal} `invalid_field`
 */
export function readCa(given: string): string {
  const ca = given.trim();
  if (ca !== "" && !isCertificates(ca)) throw invalidField("ca", `must be ${CERTIFICATES_RULE}.`);
  return ca;
}
