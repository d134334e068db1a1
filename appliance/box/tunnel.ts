import { readFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import type { RootRequests } from "../base/system/root-requests.ts";
import { ASKED_TUNNEL, TUNNEL, type TunnelState } from "./ipc/tunnel.ts";
import type { TunnelAnswer } from "./view.ts";

/** The kernel's counter of bytes through the tunnel, those of the server's handshake included. */
const HEARD = `/sys/class/net/${TUNNEL}/statistics/rx_bytes`;

export const hasTunnel = (): boolean => networkInterfaces()[TUNNEL] !== undefined;

export class TunnelSwitch {
  readonly #root: RootRequests;
  readonly #heardFile: string;

  constructor(root: RootRequests, heardFile = HEARD) {
    this.#root = root;
    this.#heardFile = heardFile;
  }

  async view(): Promise<Omit<TunnelAnswer, "possible">> {
    return {
      tunnel: this.#root.state<TunnelState>() ?? null,
      pending: Object.values(ASKED_TUNNEL).some((request) => this.#root.isPending(request)),
      heard: Number(await readFile(this.#heardFile, "utf8").catch(() => "")) > 0,
    };
  }

  /** @param text a configuration that `readTunnel` does not refuse */
  async make(text: string): Promise<void> {
    await this.#root.ask(ASKED_TUNNEL.make, text);
  }

  async remove(): Promise<void> {
    await this.#root.ask(ASKED_TUNNEL.remove);
  }
}
