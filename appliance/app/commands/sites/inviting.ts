import { randomBytes } from "node:crypto";
import { isIP } from "node:net";
import type { Config } from "../../../config/config.ts";
import { qrCode } from "../../../deck/face/qr.ts";
import { homesOf, type Inviter, inviteHome } from "../../../traffic/places/homes.ts";
import { placeAddress } from "../../../traffic/places/invitation.ts";
import { CommandFailed, type Terminal, UsageError } from "../command.ts";

/** The address that home is to ask; undefined where none is known. @throws {UsageError} */
export function invitedAddress(
  given: string | undefined,
  { publicAddress }: Pick<Config, "publicAddress">,
): string | undefined {
  const { name = "" } = publicAddress ?? {};
  const named = name === "" ? undefined : `https://${isIP(name) === 6 ? `[${name}]` : name}`;
  const text = given ?? named;
  if (text === undefined) return undefined;
  const address = placeAddress(text);
  if (address === undefined)
    throw new UsageError("--address has to be like https://stats.example.com, without a path.");
  return address;
}

/**
 * Invites a home, and prints the invitation.
 * @throws {UsageError | CommandFailed} where the name is none, or taken
 */
export async function invite(
  place: Inviter,
  { name, address }: { readonly name: string; readonly address: string },
  terminal: Terminal,
): Promise<void> {
  if ([...name].length > 40 || name.trim() === "")
    throw new UsageError("NAME has to be of 1 to 40 characters.");
  if ((await homesOf(place)).some(({ body }) => body.name === name))
    throw new CommandFailed(
      `There is an invitation for ${name} already. Give another name, or take that one back: \`tallydeck place revoke ${name}\``,
    );
  const text = await inviteHome(place, { name, address, now: terminal.now() }, randomBytes);
  terminal.out(text);
  if (terminal.output.isTTY) for (const line of drawn(text)) terminal.err(line);
  terminal.err("It is shown this once. Paste it at home: Web UI → Machine → Places.");
}

/** A QR code for a terminal, two rows of it a line. */
function drawn(text: string): string[] {
  const { size, modules } = qrCode(text);
  const isDark = (x: number, y: number) =>
    x >= 0 && y >= 0 && x < size && y < size && modules[y * size + x] === true;
  const lines: string[] = [];
  for (let y = -2; y < size + 2; y += 2) {
    let line = "";
    for (let x = -2; x < size + 2; x++)
      line += ["█", "▄", "▀", " "][(isDark(x, y) ? 1 : 0) + (isDark(x, y + 1) ? 2 : 0)];
    lines.push(line);
  }
  return lines;
}
