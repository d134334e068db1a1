import { execFileSync } from "node:child_process";
import { cpSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import type { Part } from "../running/parts.ts";
import { median } from "../running/report.ts";
import { CHECKOUT, startTallydeck, THREADS } from "../running/servers.ts";
import type { Stage } from "../running/stage.ts";
import { interleaved, startBare } from "./rounds.ts";

const ROUNDS = { rounds: 5, seconds: 4 };

/** Two commits; `.` is the checkout as it is. */
export interface Commits {
  readonly before: string;
  readonly after: string;
}

export const compare: Part<Commits> = {
  says: "Hits with two commits and the bare server, in turns.",
  isLong: true,
  async run({ options, seed, stage, report }) {
    const start = (commit: string) =>
      stage.add(startTallydeck(stage.folder(), checkOut(commit, stage)));
    const bare = await stage.add(startBare());
    const before = await start(options.before);
    const after = await start(options.after);
    const rounds = await interleaved({ bare, before, after }, { ...ROUNDS, seed });
    const row = (
      what: string,
      of: (round: (typeof rounds)[number], server: "before" | "after") => number,
    ) => {
      const all = (server: "before" | "after") =>
        median(rounds.map((round) => of(round, server))).toFixed(2);
      report.figure(`${what}, before`, all("before"));
      report.figure(`${what}, after`, all("after"));
    };
    row(
      "durable ingest : bare server",
      (round, server) => round[server].perSecond / round.bare.perSecond,
    );
    for (const thread of THREADS.filter((thread) => thread !== "reader"))
      row(`${thread}, µs a hit`, (round, server) => round[server].cpu[thread]);
    row(
      "main : bare server's main",
      (round, server) => round[server].cpu.main / round.bare.cpu.main,
    );
  },
};

/** @returns a folder with that commit, with this checkout's modules and pages */
function checkOut(commit: string, stage: Stage): string {
  if (commit === ".") return CHECKOUT;
  const root = stage.folder();
  const git = (...args: string[]) => execFileSync("git", ["-C", CHECKOUT, "worktree", ...args]);
  git("add", "--quiet", "--detach", root, commit);
  symlinkSync(join(CHECKOUT, "node_modules"), join(root, "node_modules"));
  stage.onClose(() => {
    // The link is removed first, so that git does not delete its target.
    rmSync(join(root, "node_modules"));
    git("remove", "--force", root);
  });
  cpSync(join(CHECKOUT, "web/dist"), join(root, "web/dist"), { recursive: true });
  // Otherwise scripts/install would take the modules for outdated.
  for (const name of ["package.json", "package-lock.json"]) utimesSync(join(root, name), 0, 0);
  return root;
}
