import {
  FLAG,
  integerFrom,
  listOf,
  objectOf,
  oneAmong,
  orNull,
  textUpTo,
} from "../../base/input/schema.ts";
import { schemas } from "../../base/input/shape.ts";
import { MOST_RELEASE } from "../../base/release/release.ts";
import {
  UPDATER_REQUESTS,
  type UpdaterRequest,
  type UpdaterState,
} from "../../base/release/updater-state.ts";
import type { RootRequests } from "../../base/system/root-requests.ts";

const count = integerFrom(0);
const number = integerFrom(1, MOST_RELEASE);
const RELEASE = { release: number, version: textUpTo(64) };
const release = objectOf(RELEASE);
const SENTENCE = textUpTo(2_000);

/** Fields that are not named here are for other readers. */
const STATE = objectOf(
  {
    running: objectOf({ ...RELEASE, slot: oneAmong("a", "b") }),
    mode: oneAmong("normal", "trial", "visit"),
    offers: listOf(
      objectOf({
        ...RELEASE,
        source: oneAmong("service", "card", "stick"),
        bytes: count,
        notes: textUpTo(8_000),
      }),
      16,
    ),
    failed: listOf(number, 1_000),
  },
  {
    other: release,
    prepared: release,
    work: objectOf({
      step: oneAmong("verify", "write", "read-back", "arm", "restart"),
      to: release,
      done: count,
      of: count,
    }),
    last: objectOf({
      kind: oneAmong("updated", "back", "failed", "interrupted", "refused"),
      ...RELEASE,
      at: count,
      reason: orNull(SENTENCE),
    }),
    canTry: FLAG,
    problem: SENTENCE,
    problemAt: count,
  },
);
const misfitOf = schemas({})(STATE);

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
