import type { ConnectionOptions } from "node:tls";
import type { ConnectionSettings } from "./url.ts";

/** Whom an encrypted connection believes, as PostgreSQL's own clients by the same word. */
export function tlsOf({ mode, ca }: ConnectionSettings["ssl"]): ConnectionOptions {
  return {
    ...(ca !== undefined && { ca }),
    rejectUnauthorized: mode === "verify-ca" || mode === "verify-full",
    ...(mode !== "verify-full" && { checkServerIdentity: () => undefined }),
  };
}
