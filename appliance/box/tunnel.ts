import { chmod, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { ASKED_TUNNEL, TUNNEL, type TunnelState } from "./ipc/tunnel.ts";
import type { TunnelAnswer } from "./view.ts";

/** The kernel's counter of bytes through the tunnel, those of the server's handshake included. */
const HEARD = `/sys/class/net/${TUNNEL}/statistics/rx_bytes`;

/** Whether there is one now. */
export const hasTunnel = (): boolean => networkInterfaces()[TUNNEL] !== undefined;

/**
 * The box's tunnel, which root sets up: the service requests it by a file in a folder that root watches, and reads its
 * state in another file.
 */
export class TunnelSwitch {
  readonly #folder: string;
  readonly #heardFile: string;

  /** @param folder root's folder, with a subfolder `asked` that the service may write to */
  constructor(folder: string, heardFile = HEARD) {
    this.#folder = folder;
    this.#heardFile = heardFile;
  }

  async view(): Promise<Omit<TunnelAnswer, "possible">> {
    const [text, heard, asked] = await Promise.all([
      read(join(this.#folder, "state.json")),
      read(this.#heardFile),
      readdir(this.#asked).catch(() => []),
    ]);
    const wishes: readonly string[] = Object.values(ASKED_TUNNEL);
    return {
      tunnel: text === "" ? null : (JSON.parse(text) as TunnelState),
      pending: asked.some((name) => wishes.includes(name)),
      heard: Number(heard) > 0,
    };
  }

  /** @param text a configuration that `readTunnel` does not refuse */
  async make(text: string): Promise<void> {
    const file = join(this.#asked, ASKED_TUNNEL.make);
    await writeFile(`${file}.new`, text);
    // Root reads it by the rights of the group, since its unit has no others.
    await chmod(`${file}.new`, 0o640);
    await rename(`${file}.new`, file);
  }

  async remove(): Promise<void> {
    await writeFile(join(this.#asked, ASKED_TUNNEL.remove), "");
  }

  get #asked(): string {
    return join(this.#folder, "asked");
  }
}

function read(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}
