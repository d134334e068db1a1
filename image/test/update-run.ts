import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Release, Slot } from "../../appliance/base/release/release.ts";
import { slotOfConfig } from "../../appliance/box/updater/boot-partition.ts";
import type { UpdateView } from "../../appliance/links/updates/view.ts";
import { SECTOR } from "./block-log.ts";
import { Box } from "./box.ts";
import type { Card } from "./card.ts";
import type { Checks, Lane } from "./checks.ts";
import { copySectors, partition } from "./fat.ts";
import type { Machine, MachineOptions } from "./machine.ts";
import { until } from "./owner.ts";
import type { Pi } from "./pi.ts";
import type { Bundle, Workshop } from "./releases.ts";

/** A trial that is well has to be for some seconds only, and may come to it late: emulators are slow. */
export const SHORT: MachineOptions = { commandLine: "tallydeck.trial=10,3600" };
/** The time limit for writing an update, the countdown, and the restart. */
const INSTALLS_MS = 40 * 60_000;
const SETTLES_MS = 20 * 60_000;

export interface Updates {
  readonly checks: Checks;
  readonly workshop: Workshop;
  /** A folder for cards. */
  readonly work: string;
  /** The release that a box is offered first. */
  readonly next: Bundle;
  /** The owner's. */
  readonly token: string;
  /** The seconds that a start took here. */
  readonly startS: number;
  /** The milliseconds in which a box writes a release here. */
  readonly preparesMs: number;
}

/** A check with a folder for its cards, which stays only where it failed. */
export function lane(
  { checks, work }: Updates,
  name: string,
  run: (folder: string) => Promise<unknown>,
): Lane {
  const all = async () => {
    const folder = mkdtempSync(join(work, "lane-"));
    if (await checks.check(name, () => run(folder))) rmSync(folder, { recursive: true });
  };
  return { name, run: all };
}

/** Logs of the writes of a good update to the boot partition, for replays: up to the reset, and after it. */
export function logsIn(work: string): readonly [arming: string, keeping: string] {
  return [join(work, "arming.log"), join(work, "keeping.log")];
}

/** A box that serves, its owner signed in if there is one. */
export async function boxOf(machine: Machine, token?: string): Promise<Box> {
  const box = new Box(machine);
  await box.serves();
  if (token === undefined) return box;
  box.cookie = await until("the owner is let in", async () => {
    const answer = await box.control("POST", "/api/session", { token });
    return answer.status === 204 ? answer.cookie : undefined;
  });
  return box;
}

export async function viewOf(box: Box): Promise<UpdateView> {
  const answer = await box.control("GET", "/api/update");
  assert.equal(answer.status, 200, answer.body.toString());
  return answer.json;
}

/** Waits until the box says so of its releases. */
export async function says<T>(
  box: Box,
  what: string,
  read: (view: UpdateView) => T | undefined | false,
  deadlineMs = SETTLES_MS,
): Promise<T> {
  let last = "";
  try {
    return await until(
      what,
      async () => {
        const view = await viewOf(box);
        last = JSON.stringify(view);
        return read(view) || undefined;
      },
      deadlineMs,
    );
  } catch (error) {
    throw new Error(`${(error as Error).message}: ${last}`);
  }
}

export async function wish(box: Box, body: object): Promise<UpdateView> {
  const answer = await box.control("POST", "/api/update", body);
  assert.equal(answer.status, 200, answer.body.toString());
  return answer.json;
}

/** The owner uploads a release, which the box has whole then. */
export async function upload(box: Box, bundle: Pick<Bundle, "release" | "file">): Promise<void> {
  const answer = await box.upload("/api/update/file", bundle.file);
  assert.equal(answer.status, 200, answer.body.toString());
  await says(
    box,
    `release ${bundle.release} is there`,
    ({ ready }) => ready?.release === bundle.release && ready.state !== "downloading",
  );
}

/**
 * The owner wants it now; ends when the box has restarted for it, or would.
 * @returns how long it wrote, in ms
 */
export async function install(pi: Pi, box: Box, { release }: Release): Promise<number> {
  const began = performance.now();
  await wish(box, { action: "now", release, untried: true });
  await says(box, "it counts down", ({ restartsAt }) => restartsAt ?? undefined, INSTALLS_MS);
  const ms = performance.now() - began;
  assert.equal(await pi.ended(box.machine, INSTALLS_MS), "reset");
  return ms;
}

/** Waits until a trial came to a good end. */
export function isKept(box: Box, bundle: Release, slot: Slot): Promise<unknown> {
  return says(
    box,
    `release ${bundle.release} is kept`,
    ({ running, mode, last }) =>
      running.release === bundle.release &&
      running.version === bundle.version &&
      running.slot === slot &&
      mode === "normal" &&
      (last?.kind === "updated" || last?.kind === "back") &&
      last.release === bundle.release,
  );
}

/** A file of the card's data partition, its journal replayed in a copy; undefined: there is none. */
function dataFile({ file, folder }: Card, path: string): string | undefined {
  const { from, to } = partition(file, 4);
  const copy = join(folder, "data.copy");
  copySectors(file, copy, "conv=sparse", `skip=${from}`, `count=${to - from}`);
  try {
    execFileSync("e2fsck", ["-fy", copy], { stdio: "ignore" });
  } catch (error) {
    // 1: it was mended, as the box does at its next start.
    if ((error as { status?: number }).status !== 1) throw error;
  }
  const text = execFileSync("debugfs", ["-R", `cat ${path}`, copy], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  execFileSync("rm", [copy]);
  return text === "" ? undefined : text;
}

/** The journal of the updater on a card that is not in use. */
export function journalOf(card: Card): { attempt?: { state: string; reason?: string } } {
  return JSON.parse(dataFile(card, "/system/update.json") ?? "{}");
}

export function configOf({ boot }: Card): string {
  return boot.read("config.txt")?.toString("latin1") ?? "";
}

/** Checks that config.txt starts the flashed system. */
export function isUnchanged(card: Card): void {
  assert.equal(slotOfConfig(configOf(card)), "a");
}

/** The hash of the system in a slot: its root and its boot files. */
export function hashOf({ file, boot }: Card, slot: Slot): string {
  const hash = createHash("sha256");
  for (const name of boot.list(slot)) hash.update(name).update(boot.read(`${slot}/${name}`) ?? "");
  const { from, to } = partition(file, slot === "a" ? 2 : 3);
  const card = openSync(file, "r");
  const part = Buffer.alloc(1 << 22);
  for (let at = from * SECTOR; at < to * SECTOR; at += part.length) {
    readSync(card, part, 0, part.length, at);
    hash.update(part);
  }
  closeSync(card);
  return hash.digest("hex");
}
