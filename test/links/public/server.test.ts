import assert from "node:assert/strict";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { type Answers, box, ON } from "./public-box.ts";

describe("the public address of a rented server", () => {
  const failed = { kind: "ca", failure: "connection", detail: "timeout" } as const;
  for (const [state, answers] of Object.entries({
    "unreachable-from-outside": { test: failed },
    "ca-unreachable": { test: { ...failed, failure: "unreachable" } },
    "name-points-elsewhere": { test: { ...failed, failure: "unauthorized" } },
  } satisfies Record<string, Answers>))
    it(`speaks of no router and no home where it is ${state}`, async () => {
      const settings = { ...ON, ddns: "", openPort: false };
      const { address, waitsFor } = await box(answers, settings, new FakeClock(), true);
      const { headline, steps } = await waitsFor(state);
      const { next = "" } = steps.find((step) => step.state === "wrong") ?? {};
      assert.ok(next !== "");
      assert.doesNotMatch(`${headline} ${next}`, /router|home/);
      await address.close();
    });
});
