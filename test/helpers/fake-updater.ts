import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Manifest } from "../../appliance/base/release/manifest.ts";
import type { Release } from "../../appliance/base/release/release.ts";
import {
  STATE_FILE,
  UPDATER_REQUESTS,
  type UpdaterRequest,
  type UpdaterState,
} from "../../appliance/base/release/updater-state.ts";
import type { UpdateOutcome } from "../../appliance/base/text/update-outcome.ts";

/** Root's updater as the service meets it: takes what is asked for, and tells how it stands. */
export class FakeUpdater {
  state: UpdaterState = {
    running: { release: 11, version: "0.2.0", slot: "a" },
    mode: "normal",
    offers: [],
    failed: [],
    canTry: true,
  };
  /** All that was taken: the name, and what stood in it. */
  readonly taken: string[] = [];
  /** Says this of whatever it is to write. */
  refuses: string | undefined;
  readonly #folder: string;
  readonly #bundle: string;

  /** @param folder its own @param bundle where the service keeps what is whole */
  constructor(folder: string, bundle: string) {
    this.#folder = folder;
    this.#bundle = bundle;
    mkdirSync(join(folder, "asked"), { recursive: true });
    this.tell({});
  }

  tell(change: { [K in keyof UpdaterState]?: UpdaterState[K] | undefined }): void {
    this.state = Object.fromEntries(
      Object.entries({ ...this.state, ...change }).filter(([, value]) => value !== undefined),
    ) as unknown as UpdaterState;
    const path = join(this.#folder, STATE_FILE);
    writeFileSync(`${path}.new`, JSON.stringify(this.state));
    renameSync(`${path}.new`, path);
  }

  get waiting(): UpdaterRequest[] {
    const names: readonly string[] = readdirSync(join(this.#folder, "asked"));
    return UPDATER_REQUESTS.filter((ask) => names.includes(ask));
  }

  /** Takes what was asked for, and begins with it: a release is written once `finish` is called. */
  take(): void {
    for (const ask of this.waiting) {
      const path = join(this.#folder, "asked", ask);
      const text = readFileSync(path, "utf8");
      rmSync(path);
      this.taken.push(`${ask} ${text}`.trim());
      if (ask === "prepare") this.#prepare(Number(text));
    }
  }

  /** Drops a pending request, as a restart of the machine does. */
  forget(ask: UpdaterRequest): void {
    rmSync(join(this.#folder, "asked", ask), { force: true });
  }

  /** It is written and read back. */
  finish(): void {
    const { work } = this.state;
    if (work === undefined) throw new Error("nothing is being written");
    this.tell({ work: undefined, prepared: work.to });
  }

  /** Sets the state after a restart into a release. */
  restarted(kind: UpdateOutcome["kind"], to: Release, reason: string | null = null): void {
    const { running, failed } = this.state;
    const isThere = kind === "updated" || kind === "back";
    this.tell({
      work: undefined,
      prepared: undefined,
      ...(isThere && { running: { ...to, slot: running.slot === "a" ? "b" : "a" } }),
      ...(isThere && { other: { release: running.release, version: running.version } }),
      ...(kind === "failed" && { failed: [...failed, to.release] }),
      last: { kind, ...to, at: 1_772_600_000, reason },
    });
  }

  #prepare(release: number): void {
    const offer = this.state.offers.find((each) => each.release === release);
    const refusal = this.refuses ?? (offer ? undefined : this.#whyNot(release));
    if (refusal !== undefined) {
      this.tell({ problem: refusal });
      return;
    }
    const to = { release, version: offer?.version ?? this.#manifest().version };
    this.tell({ work: { step: "write", to, done: 0, of: 100 }, problem: undefined });
  }

  /** Root believes nobody. */
  #whyNot(release: number): string | undefined {
    try {
      const { release: there, files } = this.#manifest();
      const isSound = Object.entries(files).every(([name, { sha256 }]) => {
        const bytes = readFileSync(join(this.#bundle, name));
        return createHash("sha256").update(bytes).digest("hex") === sha256;
      });
      if (there === release && isSound) return undefined;
    } catch {}
    return `Release ${release} is not on this box any more. Get it again.`;
  }

  #manifest(): Manifest {
    return JSON.parse(readFileSync(join(this.#bundle, "manifest.json"), "utf8"));
  }
}
