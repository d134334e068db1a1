import { readTunnel, tunnelText } from "../../../base/system/wireguard.ts";
import type { Dialect, Findings } from "../reading.ts";
import { TUNNEL_SECRETS } from "../settings.ts";

/** `wireguard.conf`: the way in by the owner's server, as providers hand it out. */
export const readWireguard: Dialect = (text, found) => {
  const left = text
    .split(/(?<=\n|\r(?!\n))/)
    .map((line, index) => (takeSecret(found, line, index + 1) ? line.replace(/=.*/, "=") : line))
    .join("");
  // The rule of a secret was said where it stands, and a blank line keeps the one the box has.
  const { tunnel, refused, ignored } = readTunnel(withoutSecrets(text));
  for (const { label, line, why } of [...refused, ...ignored]) found.ignore(label, why, line);
  if (tunnel !== undefined) found.take("tunnel", tunnelText(tunnel), "the tunnel");
  else if (refused.length > 0)
    found.ignore("the tunnel", "is not made: correct the lines named here");
  return left;
};

/** @returns whether a secret was taken */
function takeSecret(found: Findings, line: string, number: number): boolean {
  const [, label = "", value = ""] = SECRET.exec(line) ?? [];
  const name = TUNNEL_SECRETS.get(label.toLowerCase());
  return name !== undefined && found.take(name, value, label, number);
}

function withoutSecrets(text: string): string {
  return text.replaceAll(new RegExp(SECRET, "gim"), "$1 =");
}

const SECRET = /^[^\S\r\n]*(PrivateKey|PresharedKey)[^\S\r\n]*=[^\S\r\n]*([^\s#]*)[^\r\n]*/i;
