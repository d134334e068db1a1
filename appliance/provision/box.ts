import { execFileSync } from "node:child_process";
import {
  chownSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type Effects, effectsOf } from "./effects.ts";
import { type Kept, NOTHING_KEPT, parseKept } from "./kept.ts";
import { FILES, provision } from "./provision.ts";
import { report } from "./report.ts";
import { timeZonesIn } from "./time-zones.ts";

export interface BoxParts {
  /** Where the box's files are: `/`, or a folder in tests. */
  readonly root: string;
  /** Runs a program; throws when it fails. */
  readonly run?: (program: string, ...args: string[]) => void;
  readonly isMounted?: (path: string) => boolean;
}

const BOOT = "boot/firmware";
const KEPT = "data/system/settings.json";
const RESULT = "SETUP-RESULT.txt";
const SHOW_CODE = ["SHOW-CODE", "SHOW-CODE.txt"];
/** Ends the name of a file with secrets that is about to be wiped. */
const OLD = ".old-with-secrets";

/**
 * Applies the boot partition's files to this box and reports there what came of them. Secrets leave
 * the boot partition only after the data partition has them; a power cut at any point leaves either
 * the old files or the new ones, and the next start goes on from there.
 */
export function provisionBox({
  root,
  run = (program, ...args) => void execFileSync(program, args, { stdio: "ignore" }),
  isMounted = mountedBelow(root),
}: BoxParts): void {
  const boot = join(root, BOOT);
  const kept = parseKept(textOf(join(root, KEPT)) ?? "");
  const stored = isMounted(join(root, "data"));
  const {
    kept: now,
    settings,
    results,
  } = provision(
    stored ? kept : NOTHING_KEPT,
    (file) => bytesOf(join(boot, file)),
    timeZonesIn(join(root, "usr/share/zoneinfo")),
  );
  const effects = effectsOf(settings, textOf(join(root, "etc/iwd/main.conf")) ?? "");
  apply(root, effects, run);
  if (stored && results.length > 0) keep(root, now);
  const showCode = SHOW_CODE.some((file) => bytesOf(join(boot, file)) !== undefined);
  if (showCode) replaceFile(join(root, "run/tallydeck/show-code"), "", 0o644);
  const leftovers = stored
    ? [...FILES.keys()].filter((file) => bytesOf(join(boot, file + OLD)) !== undefined)
    : [];
  if ((results.length === 0 && !showCode && leftovers.length === 0) || !isMounted(boot)) return;

  const said = stored ? results : results.map((result) => ({ ...result, rewritten: undefined }));
  writable(boot, run, () => {
    for (const { file, rewritten } of said)
      if (rewritten !== undefined) replaceSecretFile(join(boot, file), rewritten);
    for (const file of leftovers) wipe(join(boot, file + OLD));
    for (const file of SHOW_CODE) rmSync(join(boot, file), { force: true });
    if (results.length === 0) return;
    const about = { hostname: effects.hostname, stored, version: versionOf() };
    replaceFile(join(boot, RESULT), report(said, about), 0o600);
  });
}

function apply(root: string, effects: Effects, run: NonNullable<BoxParts["run"]>): void {
  for (const { path, content, mode, group } of effects.files)
    replaceFile(join(root, path), content, mode, group && groupId(root, group));
  const zone = join(root, "etc/localtime");
  rmSync(zone, { force: true });
  symlinkSync(`/usr/share/zoneinfo/${effects.timezone}`, zone);
  run("hostname", effects.hostname);
}

function keep(root: string, kept: Kept): void {
  replaceFile(join(root, KEPT), JSON.stringify(kept), 0o600);
}

/** The one moment in which the boot partition can be written to. */
function writable(boot: string, run: NonNullable<BoxParts["run"]>, write: () => void): void {
  run("mount", "-o", "remount,rw", boot);
  try {
    write();
  } finally {
    run("mount", "-o", "remount,ro", boot);
  }
}

function replaceSecretFile(path: string, rewritten: string): void {
  renameSync(path, path + OLD);
  replaceFile(path, rewritten, 0o600);
  wipe(path + OLD);
}

/** Overwrites before it removes: a removed file's text stays on the card. */
function wipe(path: string): void {
  const { size } = statSync(path);
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(size, "#"), 0, size, 0);
  fsyncSync(file);
  closeSync(file);
  rmSync(path);
}

/** Either the old content or the new one is there, whenever the power goes. */
function replaceFile(path: string, content: string, mode: number, group?: number): void {
  mkdirSync(dirname(path), { recursive: true });
  const part = `${path}.new`;
  rmSync(part, { force: true });
  writeFileSync(part, content, { mode, flush: true });
  if (group !== undefined) chownSync(part, 0, group);
  renameSync(part, path);
  const folder = openSync(dirname(path), "r");
  fsyncSync(folder);
  closeSync(folder);
}

function groupId(root: string, name: string): number | undefined {
  const line = new RegExp(`^${name}:[^:]*:(\\d+):`, "m").exec(
    textOf(join(root, "etc/group")) ?? "",
  );
  return line?.[1] === undefined ? undefined : Number(line[1]);
}

function mountedBelow(root: string): (path: string) => boolean {
  const system = statSync(root).dev;
  return (path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    return found !== undefined && found.dev !== system;
  };
}

function bytesOf(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

function textOf(path: string): string | undefined {
  const bytes = bytesOf(path);
  return bytes && Buffer.from(bytes).toString("utf8");
}

function versionOf(): string {
  const file = join(import.meta.dirname, "../../package.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
