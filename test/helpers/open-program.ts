import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

const ROOT = realpathSync(join(import.meta.dirname, "../.."));
const NODE = realpathSync(process.execPath);
const NODE_BELOW = relative(ROOT, NODE);

interface Program {
  readonly node: string;
  /** The file of the command line. */
  readonly main: string;
  /** A folder for what Node has compiled, for each user. */
  readonly compiled: string;
}

/** The compile cache of scripts/tallydeck. */
export const COMPILED = join(ROOT, "node_modules/.cache/node");

/** Whether other users may enter this checkout and run its Node. */
export const isOpen = [ROOT, NODE].every(isReached);

let copied: Program | undefined;

/** The program where any user can read it: in this checkout, or in a copy of it, gone with the process. */
export function openProgram(): Program {
  if (isOpen) return programIn(ROOT);
  copied ??= copy();
  return copied;
}

function programIn(folder: string): Program {
  return {
    node: join(folder, NODE_BELOW),
    main: join(folder, "appliance/main.ts"),
    compiled: join(folder, "node_modules/.cache/node"),
  };
}

function isReached(path: string): boolean {
  return (statSync(path).mode & 0o5) === 0o5 && (path === "/" || isReached(dirname(path)));
}

function copy(): Program {
  const folder = mkdtempSync(join(tmpdir(), "tallydeck-open-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  for (const part of [
    "appliance",
    "scripts/tallydeck",
    "web/dist",
    "package.json",
    NODE_BELOW,
    ...modules(),
  ])
    if (existsSync(join(ROOT, part)))
      cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  return programIn(folder);
}

/** The modules that the service needs, without Node itself. */
function modules(): string[] {
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  return Object.entries<{ dev?: boolean }>(lock.packages)
    .filter(([place, { dev }]) => place !== "" && dev !== true && !/\/node-linux-/.test(place))
    .map(([place]) => place);
}
