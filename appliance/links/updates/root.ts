import { schemas } from "../../base/input/shape.ts";
import { MOST_RELEASE } from "../../base/release/release.ts";
import {
  UPDATER_REQUESTS,
  type UpdaterRequest,
  type UpdaterState,
} from "../../base/release/updater-state.ts";
import type { RootRequests } from "../../base/system/root-requests.ts";

const text = (maxLength: number) => ({ type: "string", maxLength });
const count = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const number = { type: "integer", minimum: 1, maximum: MOST_RELEASE };
const RELEASE = { release: number, version: text(64) };
const object = (properties: object, required: readonly string[]) => ({
  type: "object",
  properties,
  required,
});
const release = object(RELEASE, ["release", "version"]);
const SENTENCE = text(2_000);

/** Fields that are not named here are for other readers. */
const STATE = object(
  {
    running: object({ ...RELEASE, slot: { enum: ["a", "b"] } }, ["release", "version", "slot"]),
    other: release,
    mode: { enum: ["normal", "trial", "visit"] },
    offers: {
      type: "array",
      maxItems: 16,
      items: object(
        {
          ...RELEASE,
          source: { enum: ["service", "card", "stick"] },
          bytes: count,
          notes: text(8_000),
        },
        ["release", "version", "source", "bytes", "notes"],
      ),
    },
    prepared: release,
    work: object(
      {
        step: { enum: ["verify", "write", "read-back", "arm", "restart"] },
        to: release,
        done: count,
        of: count,
      },
      ["step", "to", "done", "of"],
    ),
    last: object(
      {
        kind: { enum: ["updated", "back", "failed", "interrupted", "refused"] },
        ...RELEASE,
        at: count,
        reason: { ...SENTENCE, type: ["string", "null"] },
      },
      ["kind", "release", "version", "at", "reason"],
    ),
    failed: { type: "array", maxItems: 1_000, items: number },
    canTry: { type: "boolean" },
    problem: SENTENCE,
    problemAt: count,
  },
  ["running", "mode", "offers", "failed"],
);
const misfitOf = schemas({ allowUnionTypes: true })(STATE);

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
