import { rmSync } from "node:fs";
import { join } from "node:path";
import { isThere, replaceFile, textOf } from "../../base/system/files.ts";
import { type Run, runProgram } from "../../base/system/program.ts";
import { readTunnel, tunnelText } from "../../base/system/wireguard.ts";
import { ASKED_TUNNEL, TUNNEL } from "../ipc/tunnel.ts";
import { groupIn, keptSettings } from "./box.ts";
import { layTunnel, PASTED, tunnelOf } from "./tunnel.ts";

/** The folder for requests of the service. Only it and root may write there. */
const ASKED = "run/tallydeck-tunnel/asked";

/**
 * Sets up the tunnel that was pasted in the Web UI, or removes it. A tunnel of the card stays in any case.
 * @throws {Error} when a program of the system fails
 */
export function changeTunnel({
  root,
  run = runProgram,
}: {
  readonly root: string;
  readonly run?: Run;
}): void {
  const asked = (name: string) => join(root, ASKED, name);
  const { tunnel } = readTunnel(textOf(asked(ASKED_TUNNEL.make)) ?? "");
  const isUnwanted = isThere(asked(ASKED_TUNNEL.remove));
  // The request is removed first, so that one that fails is not tried again at once.
  for (const name of Object.values(ASKED_TUNNEL)) rmSync(asked(name), { force: true });
  const settings = keptSettings(root);
  if (tunnelOf(settings) !== undefined) return;
  if (tunnel !== undefined) replaceFile(join(root, PASTED), tunnelText(tunnel), 0o600);
  else if (isUnwanted) rmSync(join(root, PASTED), { force: true });
  else return;
  layTunnel(settings, { root, groupOf: groupIn(root) });
  // networkd changes no interface that is there.
  if (isThere(join(root, "sys/class/net", TUNNEL))) run("ip", ["link", "delete", TUNNEL]);
  run("networkctl", ["reload"]);
}
