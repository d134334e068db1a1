import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The result of a check that says nothing of the image: the machine around the guest was too slow for it. */
export class NotJudged extends Error {}

/** The share of its time that a guest may wait for a processor, above which a time limit of systemd's is too short. */
const MOST_WAITED = 1 / 3;
/** Messages of systemd's where a time limit was over, as its src/core has them. */
const GIVEN_UP =
  /operation timed out|Failed with result 'timeout'|Job .+ timed out|Timed out waiting for/;

/**
 * Throws where systemd gave something up that had no time.
 * @param journal of the guest, a message a line
 * @param waited share of its time, from 0 to 1
 * @throws {NotJudged}
 */
export function refuseSlow(journal: string, waited: number): void {
  const givenUp = journal.split("\n").filter((line) => GIVEN_UP.test(line));
  if (givenUp.length === 0 || waited <= MOST_WAITED) return;
  const share = Math.round(100 * waited);
  throw new NotJudged(
    `The guest waited ${share} % of its time for a processor of this machine, and systemd gave up:\n${givenUp.join("\n")}`,
  );
}

/**
 * Tells how long a guest's processors were ready to run and could not, as the kernel has it of QEMU's threads:
 * proc(5), schedstat.
 * @param pid of QEMU @returns share of the time that they wanted to run, from 0 to 1
 */
export function waitedShare(pid: number, proc = "/proc"): number {
  const tasks = join(proc, String(pid), "task");
  let [ran, waited] = [0, 0];
  for (const task of readdirSync(tasks)) {
    const [runNs = 0, waitNs = 0] = schedstat(join(tasks, task)).split(" ").map(Number);
    ran += runNs;
    waited += waitNs;
  }
  return ran + waited === 0 ? 0 : waited / (ran + waited);
}

/** @returns nothing of a thread that has ended: QEMU's processors stay */
function schedstat(task: string): string {
  try {
    return readFileSync(join(task, "schedstat"), "utf8");
  } catch {
    return "";
  }
}
