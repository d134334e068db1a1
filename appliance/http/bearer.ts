import type { IncomingMessage } from "node:http";

/** The token of `Authorization: Bearer <token>`; undefined when there is none. */
export function bearerToken({ headers }: IncomingMessage): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1];
}
