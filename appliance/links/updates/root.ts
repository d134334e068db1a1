import { schemas } from "../../base/input/shape.ts";
import {
  UPDATER_REQUESTS,
  UPDATER_STATE,
  type UpdaterRequest,
  type UpdaterState,
} from "../../base/release/updater-state.ts";
import type { RootRequests } from "../../base/system/root-requests.ts";

const misfitOf = schemas({})(UPDATER_STATE);

export class RootUpdater {
  readonly #root: RootRequests;
  /** The last state, cached by its text, since it is read every second. */
  #read: { text?: string | undefined; state?: UpdaterState | undefined } = {};

  constructor(root: RootRequests) {
    this.#root = root;
  }

  /** The updater's last report; undefined before there is one, and for one that cannot be read. */
  state(): UpdaterState | undefined {
    const text = this.#root.stateText;
    if (text !== this.#read.text) {
      const state = this.#root.state<UpdaterState>(text);
      this.#read = { text, state: misfitOf(state) === undefined ? state : undefined };
    }
    return this.#read.state;
  }

  pending(): UpdaterRequest[] {
    return UPDATER_REQUESTS.filter((request) => this.#root.isPending(request));
  }

  /** @throws {Error} where root's folder is not there */
  async request(request: UpdaterRequest, release?: number): Promise<void> {
    await this.#root.ask(request, release === undefined ? "" : String(release));
  }
}
