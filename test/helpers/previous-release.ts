import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { DataFormat } from "../../appliance/store/format.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Modules of it that Node has compiled. They stay: a start without takes four times as long. */
const COMPILED = join(ROOT, "node_modules/.cache/previous-release");
const RULE = "appliance/store/format.ts";
/** Since this is there, releases read what the next one writes: data began anew with it. */
const SINCE = {
  text: "With the bytes in it, no row is looked at for the sum of all.",
  file: "appliance/store/sqlite/schema/001-first.sql",
};

/** The service as it was released last, to run in a folder of its own. */
export class PreviousRelease {
  /** A tag, or a commit where nothing was released yet. */
  readonly commit: string;
  readonly #folder: string;

  constructor(commit: string) {
    this.commit = commit;
    this.#folder = mkdtempSync(join(tmpdir(), "tallydeck-previous-"));
    const source = execFileSync("git", ["archive", commit, "appliance", "package.json"], {
      cwd: ROOT,
      maxBuffer: 2 ** 28,
    });
    execFileSync("tar", ["-x"], { cwd: this.#folder, input: source });
    symlinkSync(join(ROOT, "node_modules"), join(this.#folder, "node_modules"));
    // It reads its pages as they are today: whether they open is no question here.
    mkdirSync(join(this.#folder, "web"));
    symlinkSync(join(ROOT, "web/dist"), join(this.#folder, "web/dist"));
    mkdirSync(COMPILED, { recursive: true });
    symlinkSync(COMPILED, join(this.#folder, "compiled"));
  }

  /** The variables with which its starts find what was compiled in another folder: paths count from the link on. */
  get env(): Record<string, string> {
    return {
      NODE_COMPILE_CACHE: join(this.#folder, "compiled"),
      NODE_COMPILE_CACHE_PORTABLE: "1",
    };
  }

  /** The program of Node. */
  get main(): string {
    return join(this.#folder, "appliance/main.ts");
  }

  async formats(): Promise<{ DATA_FORMAT: DataFormat; FLEET_FORMAT: DataFormat }> {
    return await import(pathToFileURL(join(this.#folder, RULE)).href);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }
}

/**
 * The newest release before what is checked out; where nothing was released yet, the commit with
 * which the data began anew.
 * @returns undefined where the history is not there to look
 */
export function previousCommit(): string | undefined {
  if (!existsSync(join(ROOT, ".git")) || git("rev-parse", "--is-shallow-repository") !== "false")
    return;
  const tags = git("tag", "--merged", "HEAD", "--no-contains", "HEAD", "--sort=-version:refname");
  const released = tags?.split("\n").find((tag) => /^v\d/.test(tag));
  const { text, file } = SINCE;
  return released ?? git("log", `-S${text}`, "--format=%H", "--", file)?.split("\n").at(-1);
}

function git(...args: string[]): string | undefined {
  const { status, stdout } = spawnSync("git", args, { cwd: ROOT, encoding: "utf8" });
  return status === 0 && stdout.trim() !== "" ? stdout.trim() : undefined;
}
