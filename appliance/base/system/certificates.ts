import { X509Certificate } from "node:crypto";

/** The form in which certificates are given, to end a sentence. */
export const CERTIFICATES_RULE =
  "certificates in PEM, each beginning with -----BEGIN CERTIFICATE-----";
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
