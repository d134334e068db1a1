import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { needTools } from "../tools.ts";

const DEBIAN = "/usr/lib/postgresql";
const CACHE = join(import.meta.dirname, "../../node_modules/.cache");
const IS_ROOT = process.getuid?.() === 0;
/** The server refuses to be root. */
const AS_POSTGRES = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"];

/** The command for one of the server's programs, run by a user who may own its data. */
export function postgresCommand(program: string, args: readonly string[]): [string, string[]] {
  const path = join(DEBIAN, version(), "bin", program);
  const [file = "", ...rest] = IS_ROOT ? [...AS_POSTGRES, path, ...args] : [path, ...args];
  return [file, rest];
}

/** A folder of the server's own. It and a server in its `data` go with this process. */
export function postgresFolder(): string {
  return passingFolder("tallydeck-postgres-", { home: "data", pidFile: "data/postmaster.pid" });
}

interface Passing {
  /** The working folder of the program, inside of the folder. */
  readonly home: string;
  /** The file in that folder whose first line is the server's process. */
  readonly pidFile: string;
}

/**
 * A folder for a program of the user `postgres`. Both are removed after the end of this process, however it ends.
 * @param name the beginning of the folder's name
 */
export function passingFolder(name: string, { home, pidFile }: Passing): string {
  const folder = mkdtempSync(join(tmpdir(), name));
  giveToPostgres(folder);
  spawn("sh", ["-c", AFTERMATH, "sh", folder, home, pidFile], {
    // A terminal's Ctrl-C ends a whole group of processes.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  }).unref();
  return folder;
}

/** A script that cleans up when its input ends, with this process. */
const AFTERMATH = `
cat
home=$1/$2
pid=$(head -n 1 "$1/$3")
runs() { [ "/proc/$pid/cwd" -ef "$home" ]; }
if runs; then kill -QUIT "$pid"; fi
for _ in $(seq 100); do
  runs || break
  sleep 0.1
done
rm -rf "$1"
`;

/** Puts an empty cluster into a folder that is not there yet; its owner `postgres` needs no password. */
export function newCluster(data: string): void {
  copy(template(), data);
}

export function giveToPostgres(path: string, mode = 0o700): void {
  chmodSync(path, mode);
  if (!IS_ROOT) return;
  const id = (what: string) => Number(execFileSync("id", [what, "postgres"], { encoding: "utf8" }));
  chownSync(path, id("-u"), id("-g"));
}

/** A cluster to copy, made once, since initdb takes ten times as long as a copy. */
function template(): string {
  const kept = join(CACHE, `postgres-${version()}-${IS_ROOT ? "root" : process.getuid?.()}`);
  if (existsSync(kept)) return kept;
  const made = mkdtempSync(join(tmpdir(), "tallydeck-postgres-"));
  const own = `${kept}-${process.pid}`;
  try {
    giveToPostgres(made);
    const data = join(made, "data");
    const [file, args] = postgresCommand("initdb", [
      ...["-D", data, "-U", "postgres", "--auth=trust", "--no-sync"],
      // Small, for it is copied.
      ...["--encoding=UTF8", "--locale=C", "--wal-segsize=1"],
    ]);
    execFileSync(file, args, { cwd: made, stdio: ["ignore", "ignore", "pipe"] });
    mkdirSync(CACHE, { recursive: true });
    copy(data, own);
    keep(own, kept);
  } finally {
    rmSync(made, { recursive: true, force: true });
    rmSync(own, { recursive: true, force: true });
  }
  return kept;
}

/** Another process may have been quicker. */
function keep(own: string, kept: string): void {
  try {
    renameSync(own, kept);
  } catch (error) {
    if (!existsSync(kept)) throw error;
  }
}

/** Copies with owners and modes, which the server checks. */
function copy(from: string, to: string): void {
  execFileSync("cp", ["-a", from, to]);
}

/** The newest there is, as Debian names it: `15`. */
function version(): string {
  needTools("postgresql");
  const [newest = ""] = readdirSync(DEBIAN)
    .filter((name) => existsSync(join(DEBIAN, name, "bin/postgres")))
    .sort((a, b) => Number(b) - Number(a));
  return newest;
}
