import type { RootRequests } from "../base/system/root-requests.ts";
import { ASKED_MACHINE, type MachineChange, type MachineSettings } from "./ipc/machine.ts";

/** The machine's own settings, which root changes. */
export class MachineSwitch {
  readonly #root: RootRequests;

  constructor(root: RootRequests) {
    this.#root = root;
  }

  /** Undefined before root has told them. */
  get settings(): MachineSettings | undefined {
    return this.#root.state<MachineSettings>();
  }

  /** Whether a requested change is not made yet. */
  get isPending(): boolean {
    return this.#root.isPending(ASKED_MACHINE);
  }

  /** @throws {Error} where root's folder is not there */
  async change(change: MachineChange): Promise<void> {
    await this.#root.ask(ASKED_MACHINE, JSON.stringify(change));
  }

  /** Requests another name for the machine, where it is not called so. @throws {Error} where root's folder is not there */
  async takeName(hostname: string): Promise<void> {
    const { settings } = this;
    if (settings !== undefined && settings.hostname.toLowerCase() !== hostname)
      await this.change({ hostname });
  }
}
