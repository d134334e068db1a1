import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./figures.ts";
import { interleaved } from "./rounds.ts";
import { startBare, startTallydeck, withData, withServer } from "./servers.ts";

const ROOT = join(import.meta.dirname, "../..");
const ROUNDS = 5;
const ROUND_SECONDS = 4;

/** Two commits beside the bare server, in turns; `.` is the checkout as it is. */
export async function compare(a: string, b: string): Promise<void> {
  const checkouts = [checkOut(a), checkOut(b)] as const;
  try {
    await withData((dataA) =>
      withData((dataB) =>
        withServer(startBare, (bare) =>
          withServer(
            () => startTallydeck(dataA, checkouts[0].root),
            (A) =>
              withServer(
                () => startTallydeck(dataB, checkouts[1].root),
                async (B) => tell(a, b, await interleaved({ bare, A, B }, ROUNDS, ROUND_SECONDS)),
              ),
          ),
        ),
      ),
    );
  } finally {
    for (const { remove } of checkouts) remove();
  }
}

type Rounds = Awaited<ReturnType<typeof interleaved<"bare" | "A" | "B">>>;

function tell(a: string, b: string, rounds: Rounds): void {
  console.log(`\n| | A = ${a} | B = ${b} |\n|---|---|---|`);
  const row = (what: string, of: (round: Rounds[number], server: "A" | "B") => number) => {
    const of2 = (server: "A" | "B") => median(rounds.map((round) => of(round, server))).toFixed(2);
    console.log(`| ${what} | ${of2("A")} | ${of2("B")} |`);
  };
  row(
    "durable ingest : bare server",
    (round, server) => round[server].perSecond / round.bare.perSecond,
  );
  for (const thread of ["main", "committer", "others"] as const)
    row(`${thread}, µs a hit`, (round, server) => round[server].cpu[thread]);
  row("main : bare server's main", (round, server) => round[server].cpu.main / round.bare.cpu.main);
}

/** A commit in a folder of its own, with this checkout's modules and pages. */
function checkOut(commit: string): { root: string; remove: () => void } {
  if (commit === ".") return { root: ROOT, remove: () => {} };
  const root = mkdtempSync(join(tmpdir(), "tallydeck-bench-"));
  const git = (...args: string[]) => execFileSync("git", ["-C", ROOT, "worktree", ...args]);
  git("add", "--quiet", "--detach", root, commit);
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  cpSync(join(ROOT, "web/dist"), join(root, "web/dist"), { recursive: true });
  // Else scripts/install would take the modules for older than what they are made from.
  for (const name of ["package.json", "package-lock.json"]) utimesSync(join(root, name), 0, 0);
  return {
    root,
    remove: () => {
      // The link first: what it leads to stays.
      rmSync(join(root, "node_modules"));
      git("remove", "--force", root);
    },
  };
}
