import type { ServiceParts } from "../../appliance/app/service/parts.ts";
import { Signal } from "../../appliance/base/signal.ts";

type Updates = NonNullable<ServiceParts["updates"]>;

/** A box for which a release is ready while `isOffered`, as pictures show it; it has no release host. */
export class PictureUpdates implements Updates {
  readonly changed = new Signal();
  isOffered = false;
  readonly #now: number;

  constructor(now: number) {
    this.#now = now;
  }

  view(): ReturnType<Updates["view"]> {
    if (!this.isOffered) return undefined;
    return {
      running: { release: 2, version: "0.2.0", slot: "b" },
      other: { release: 1, version: "0.1.0" },
      mode: "normal",
      updates: "ask",
      source: "releases.example.org",
      checkedAt: this.#now / 1_000 - 86_400,
      ready: {
        release: 3,
        version: "0.3.0",
        bytes: 203_000_000,
        notes: "Keys show a week at a glance. A start without a network is as quick as any.",
        source: "network",
        state: "offered",
        failedBefore: false,
        isSkipped: false,
      },
      progress: null,
      next: null,
      isCalledOff: false,
      restartsAt: null,
      isUntriedBoard: false,
      couldNotTry: false,
      board: "Raspberry Pi 4 Model B Rev 1.4",
      last: null,
      problem: null,
    };
  }

  async act(): Promise<void> {}

  async takeIn(): Promise<void> {}

  warnings(): [] {
    return [];
  }
}
