import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Asker } from "../../../../appliance/store/reads/answer.ts";
import type { Numbers } from "../../../../appliance/store/store.ts";
import { SharedBadgeCounts } from "../../../../appliance/traffic/collector/routes/badge-counts.ts";
import { FakeClock } from "../../../helpers/fake-clock.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

describe("counts that badges share", () => {
  it("hold nobody who was answered, however long they are shared", async () => {
    const counts = { window: 1, total: 1 };
    const read = async () => counts;
    const shared = new SharedBadgeCounts({ clock: new FakeClock(), read: read as Numbers["read"] });
    const asked = async () => {
      const asker = { lane: "public" as const, gone: () => false };
      assert.equal(await shared.get({ site: 1, from: 1, to: 1 }, asker), counts);
      return new WeakRef(asker);
    };
    const askers = [await asked(), await asked()];
    await nextTurn();
    collectGarbage();
    const found = askers.map((asker) => asker.deref());
    assert.deepEqual(found, [undefined, undefined]);
  });

  it("are wanted as long as one of those who asked waits for them", async () => {
    const { promise, resolve } = Promise.withResolvers<{ window: number; total: number }>();
    let asked: Asker = { lane: "public" };
    const read = (_query: string, _input: unknown, asker: Asker = { lane: "box" }) => {
      asked = asker;
      return promise;
    };
    const shared = new SharedBadgeCounts({ clock: new FakeClock(), read: read as Numbers["read"] });
    const left = new Set<string>();
    const ask = (name: string) =>
      shared.get({ site: 1, from: 1, to: 1 }, { lane: "public", gone: () => left.has(name) });
    const answers = [ask("first"), ask("second")];
    left.add("first");
    assert.equal(asked.gone?.(), false);
    left.add("second");
    assert.equal(asked.gone?.(), true);
    resolve({ window: 1, total: 1 });
    await Promise.all(answers);
  });
});
