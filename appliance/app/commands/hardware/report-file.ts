import { ftruncateSync, openSync, writeSync } from "node:fs";
import { arch, release, tmpdir, type } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../../base/message-of.ts";
import { version } from "../../../base/system/version.ts";
import { thisBoard } from "../../../links/updates/boards.ts";
import { CommandFailed, type Terminal } from "../command.ts";

/** Files of earlier reports that are passed over. */
const MOST_TAKEN = 100;

/** The file of a report: a new one, begun before anything is tried. */
export class ReportFile {
  readonly path: string;
  readonly #file: number;

  /**
   * @param given the path by the person; undefined for a free name here
   * @param name the beginning of that
   * @throws {CommandFailed} where it cannot be written, or something is there already
   */
  constructor(given: string | undefined, name: string) {
    [this.path, this.#file] = given === undefined ? freeName(name) : claimed(given);
  }

  /** Replaces all of it. */
  write(text: string): void {
    try {
      ftruncateSync(this.#file);
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; )
        at += writeSync(this.#file, bytes, at, bytes.length - at, at);
    } catch (error) {
      throw new CommandFailed(`${this.path} cannot be written: ${messageOf(error)}`);
    }
  }
}

export function machineFacts(): Record<string, string> {
  const { model } = thisBoard();
  return {
    system: `${type()} ${release()} ${arch()}`,
    ...(model !== null && { board: model }),
  };
}

export function reportHead(
  about: "deck" | "board",
  { now }: Pick<Terminal, "now">,
): Record<string, string> {
  return { about, made: new Date(now()).toISOString().slice(0, 10), version: version() };
}

/** A new file by its path, and open. */
type Claimed = [path: string, file: number];

function claimed(path: string): Claimed {
  try {
    return [path, openSync(path, "wx")];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandFailed(
      code === "EEXIST"
        ? `${path} is there already. Name another file as --out.`
        : `${path} cannot be written (${code}). Name a file as --out that can.`,
    );
  }
}

/** A free name here, or among temporary files where nothing can be written here, as on the box. */
function freeName(name: string): Claimed {
  for (const folder of ["", tmpdir()])
    for (let count = 1; count <= MOST_TAKEN; count += 1) {
      const path = join(folder, `${name}${count === 1 ? "" : `-${count}`}.txt`);
      try {
        return [path, openSync(path, "wx")];
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") break;
      }
    }
  throw new CommandFailed(`${name}.txt cannot be written here. Name a file as --out.`);
}
