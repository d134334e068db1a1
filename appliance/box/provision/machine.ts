import { rmSync } from "node:fs";
import { join } from "node:path";
import { fieldsIn, isText } from "../../base/input/json.ts";
import { replaceFile, textOf } from "../../base/system/files.ts";
import type { Run } from "../../base/system/program.ts";
import {
  ASKED_MACHINE,
  type KeyName,
  MACHINE_STATE,
  type MachineChange,
  type MachineSettings,
} from "../ipc/machine.ts";
import { applyMachine, keepSettings, keptSettings } from "./box.ts";
import { check, type Settings } from "./settings.ts";
import { timeZonesIn } from "./time-zones.ts";

const FOLDER = "run/tallydeck-machine";
const BEFORE = "data/system/machine-before.json";
const MOST_BYTES = 16_384;
/** More keys than an owner has computers. */
const MOST_KEYS = 32;
const KEY_ID_LENGTH = 12;

/** Tells the service how the machine is set up. */
export function noteMachine(root: string, settings: Settings, problem?: string): void {
  const state: MachineSettings = {
    hostname: settings.hostname?.value ?? "tallydeck",
    timezone: settings.timezone?.value ?? "UTC",
    keys: keysOf(settings).map(nameOf),
    before: beforeIn(root),
    ...(problem !== undefined && { problem }),
  };
  replaceFile(join(root, FOLDER, MACHINE_STATE), JSON.stringify(state), 0o644);
}

/**
 * Changes the machine's own settings as the Web UI asks, at once and for good. Files of the card that name them win again
 * once their owner changes them.
 * @throws {Error} when the data partition cannot be written; then nothing changes
 */
export function changeMachine({ root, run }: { readonly root: string; readonly run: Run }): void {
  const path = join(root, FOLDER, "asked", ASKED_MACHINE);
  const change = changeIn(path);
  // The request is removed first, so that one that fails is not tried again at once.
  rmSync(path, { force: true });
  const settings = keptSettings(root);
  const { says, problem } = wanted(change, settings, root);
  if (problem !== undefined || Object.keys(says).length === 0) {
    noteMachine(root, settings, problem);
    return;
  }
  const { hostname, timezone } = settings;
  const removed = keysOf(settings).find((key) => nameOf(key).id === change.removeKey);
  const before = {
    ...beforeIn(root),
    ...(says.hostname !== undefined && { hostname: hostname?.value ?? "tallydeck" }),
    ...(says.timezone !== undefined && { timezone: timezone?.value ?? "UTC" }),
    ...(removed !== undefined && { key: removed }),
  };
  replaceFile(join(root, BEFORE), JSON.stringify(before), 0o600);
  keepSettings(root, says);
  applyMachine(root, run);
  noteMachine(root, keptSettings(root));
  for (const unit of unitsOf(says)) run("systemctl", ["restart", "--no-block"], [unit]);
}

/** The units that read a setting at their start. */
function unitsOf(says: Readonly<Record<string, string>>): string[] {
  return [
    ...(says.hostname === undefined ? [] : ["avahi-daemon.service", "tallydeck-name.service"]),
    ...(says["ssh.keys"] === undefined ? [] : ["ssh.service"]),
    ...(says.timezone === undefined ? [] : ["tallydeck.service"]),
  ];
}

function wanted(change: MachineChange, settings: Settings, root: string) {
  const findTimeZone = timeZonesIn(join(root, "usr/share/zoneinfo"));
  const says: Record<string, string> = {};
  const asked: [string, string, string | undefined][] = [
    ["The name", "hostname", change.hostname],
    ["The time zone", "timezone", change.timezone],
    ["The key", "ssh.keys", change.addKey],
  ];
  for (const [what, name, text] of asked) {
    if (text === undefined) continue;
    const checked = check(name, text, findTimeZone);
    if ("problem" in checked) return { says, problem: `${what} ${checked.problem}.` };
    says[name] = checked.value;
  }
  const keys = keysOf(settings);
  const added = says["ssh.keys"];
  if (added !== undefined) says["ssh.keys"] = [...new Set([...keys, added])].join("\n");
  else if (change.removeKey !== undefined)
    says["ssh.keys"] = keys.filter((key) => nameOf(key).id !== change.removeKey).join("\n");
  if ((says["ssh.keys"]?.split("\n").length ?? 0) > MOST_KEYS)
    return { says, problem: `There is room for ${MOST_KEYS} keys. Remove one first.` };
  return { says };
}

function keysOf(settings: Settings): string[] {
  return (settings["ssh.keys"]?.value ?? "").split("\n").filter((line) => line !== "");
}

function nameOf(line: string): KeyName {
  const [type = "", blob = "", ...comment] = line.split(" ");
  const id = blob.replace(/=+$/, "").slice(-KEY_ID_LENGTH);
  return { id, type, comment: comment.join(" ").slice(0, 100) };
}

function changeIn(path: string): MachineChange {
  return textsIn(textOf(path, MOST_BYTES), ["hostname", "timezone", "addKey", "removeKey"]);
}

function beforeIn(root: string): MachineSettings["before"] {
  return textsIn(textOf(join(root, BEFORE)), ["hostname", "timezone", "key"]);
}

/** The fields of these names that are texts. */
function textsIn<Name extends string>(json: string | undefined, names: readonly Name[]) {
  const fields = fieldsIn(json);
  const texts = names.filter((name) => isText(fields[name])).map((name) => [name, fields[name]]);
  return Object.fromEntries(texts) as { [name in Name]?: string };
}
