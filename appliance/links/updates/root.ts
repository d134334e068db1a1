import { join } from "node:path";
import { schemas } from "../../base/input/shape.ts";
import { ASKED, askUpdater } from "../../base/release/ask-updater.ts";
import { MOST_RELEASE } from "../../base/release/release.ts";
import {
  STATE_FILE,
  UPDATER_REQUESTS,
  type UpdaterRequest,
  type UpdaterState,
} from "../../base/release/updater-state.ts";
import { bytesOf, sizeOf } from "../../base/system/files.ts";

const MOST_BYTES = 65_536;

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

/**
 * Root's updater: the service requests work by files in a folder that root watches, and reads the state in another
 * folder.
 */
export class RootUpdater {
  readonly #folder: string;
  /** The last state, cached by its text, since it is read every second. */
  #read: { text?: string | undefined; state?: UpdaterState | undefined } = {};

  /** @param folder root's folder, with a subfolder `asked` that the service may write to */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The updater's last report; undefined before there is one, and for one that cannot be read. */
  state(): UpdaterState | undefined {
    const bytes = bytesOf(join(this.#folder, STATE_FILE), MOST_BYTES);
    const text = bytes && Buffer.from(bytes).toString("utf8");
    if (text !== this.#read.text)
      this.#read = { text, state: text === undefined ? text : parsed(text) };
    return this.#read.state;
  }

  /** The requests that it has not taken yet. */
  pending(): UpdaterRequest[] {
    return UPDATER_REQUESTS.filter((request) => sizeOf(join(this.#asked, request)) !== undefined);
  }

  /** @throws {Error} where root's folder is not there */
  async request(request: UpdaterRequest, release?: number): Promise<void> {
    await askUpdater(this.#folder, request, release);
  }

  get #asked(): string {
    return join(this.#folder, ASKED);
  }
}

function parsed(text: string): UpdaterState | undefined {
  try {
    const state: unknown = JSON.parse(text);
    return misfitOf(state) === undefined ? (state as UpdaterState) : undefined;
  } catch {
    return undefined;
  }
}
