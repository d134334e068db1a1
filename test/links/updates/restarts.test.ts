import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";
import { eachBox } from "./box.ts";

const ROUNDS = 8;
const STEPS = 30;

describe("An update through whatever happens", () => {
  const box = eachBox();

  for (let round = 0; round < ROUNDS; round += 1)
    it(`is never started unless it is written and wanted, and is done in the end (seed ${TEST_SEED + round})`, async () => {
      const { below, pick } = seeded(TEST_SEED + round);
      const { clock, updater, host } = box();
      let isWanted = false;
      const look = () => {
        if (!updater.waiting.includes("arm")) return;
        assert.deepEqual([updater.state.prepared?.release, isWanted], [12, true]);
      };
      const acts: (() => unknown)[] = [
        () => clock.advance(below(90_000)),
        () => box().restart(),
        // Pending and running work is lost by then.
        () => {
          for (const ask of updater.waiting) updater.forget(ask);
          updater.tell({ work: undefined });
          return box().reboot();
        },
        () => updater.take(),
        () => updater.state.work && updater.finish(),
        () => host.faults.push({ file: "root.img", cutAfter: below(200_000) }),
        () => host.faults.push({ file: "root.img", body: Buffer.alloc(300_000) }),
        () => setTimeout(below(20)),
        async () => {
          await box().updates.act({ action: "cancel" });
          isWanted = false;
        },
        async () => {
          isWanted = true;
          await pick([() => box().now(), () => box().tonight()])();
        },
      ];
      await box().check();
      for (let step = 0; step < STEPS; step += 1) {
        // It restarts then: what comes after is another boot.
        if (updater.waiting.includes("arm")) updater.forget("arm");
        await Promise.resolve(acts[below(acts.length)]?.()).catch(allowed);
        look();
      }

      host.faults = [];
      if (updater.state.work) updater.finish();
      while (!updater.waiting.includes("arm")) {
        const { ready } = box().view;
        const { wish } = box().record() ?? {};
        if (wish?.when !== "now") await box().now().catch(allowed);
        if (updater.waiting.length > 0) updater.take();
        if (updater.state.work) updater.finish();
        // While it is fetched no time passes, unless that is what it waits for.
        if (ready?.state !== "downloading" || (wish?.retryAt ?? 0) > clock.now())
          clock.jump(30_000);
        await setTimeout(5);
      }
      assert.equal(updater.state.prepared?.release, 12);
    });

  /** Checks for a refusal that the owner may try again after. */
  function allowed(error: { code?: string; message: string }): void {
    assert.match(error.code ?? "", /^(?:not_now|no_update)$/, error.message);
  }
});
