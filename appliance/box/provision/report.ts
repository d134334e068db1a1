import { CONTROL_PORT, urlOf } from "../../base/ports.ts";
import { ERASED_WORDS, type Erased } from "../../base/text/reset.ts";
import type { TunnelState } from "../ipc/tunnel.ts";
import type { FileResult } from "./reading.ts";

interface About {
  readonly hostname: string;
  /** The name by which the internet reaches the box. */
  readonly publicName?: string | undefined;
  readonly tunnel?: TunnelState | undefined;
  /** The end of the data from before, where this start has erased it. */
  readonly erased?: Erased | undefined;
  /** Whether the data partition could be written. */
  readonly stored: boolean;
}

/** The report for a person who puts the card into a reader. Lines end in CRLF, for old versions of Windows' Notepad. */
export function report(
  results: readonly FileResult[],
  { hostname, publicName, tunnel, stored, erased }: About,
): string {
  const lines = [
    "What came of the settings on this card",
    "",
    `The box is called ${hostname}: ${urlOf(`${hostname}.local`, CONTROL_PORT)}`,
    ...(erased === undefined ? [] : [ERASED_WORDS[erased]]),
    // The Web UI has the state of the public address: the service has not started yet.
    ...(publicName === undefined
      ? []
      : [
          `Its public address is ${publicName}: what is done for it, and what is missing, stands in the Web UI.`,
        ]),
    ...(tunnel === undefined
      ? []
      : [
          `Its public key in the tunnel is ${tunnel.publicKey}: the server's [Peer] needs it as PublicKey,`,
          `with AllowedIPs = ${tunnel.addresses.join(", ")}.`,
        ]),
    ...results.flatMap(resultLines),
    "",
  ];
  if (!stored)
    lines.push(
      "The data partition could not be used: what the box kept there is not at hand, these settings",
      "hold until it is switched off, and no password is removed from the files. Try another card.",
      "",
    );
  return lines.join("\r\n");
}

/** A file of another kind may hold thousands of lines that mean nothing. */
const MOST_IGNORED = 50;

function resultLines({ file, findings, rewritten, isGone }: FileResult): string[] {
  const applied = findings.filter(({ ignored }) => ignored === undefined);
  const ignored = findings.filter((finding) => finding.ignored !== undefined);
  const place = (line: number | undefined) => (line === undefined ? "" : ` (line ${line})`);
  const noted = (note: string | undefined) => (note === undefined ? "" : `: ${note}`);
  return [
    "",
    isGone ? `${file}, which is no longer on the card, but still counts:` : `${file}:`,
    ...(findings.length === 0 ? ["  says nothing: every line is empty or a comment"] : []),
    ...applied.map(({ label, line, note }) => `  applied  ${label}${place(line)}${noted(note)}`),
    ...ignored
      .slice(0, MOST_IGNORED)
      .map(({ label, line, ignored }) => `  IGNORED  ${label}${place(line)}: ${ignored}`),
    ...(ignored.length > MOST_IGNORED ? [`  and ${ignored.length - MOST_IGNORED} more`] : []),
    ...(isGone
      ? ["  To be rid of one, write it into tallydeck.env with (none) as its value."]
      : []),
    ...(rewritten === undefined
      ? []
      : [
          "  Passwords and tokens were removed from this file; the box keeps those that are applied.",
        ]),
  ];
}
