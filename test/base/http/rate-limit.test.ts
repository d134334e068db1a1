import assert from "node:assert/strict";
import { addressKey, networkKey } from "../../../appliance/base/http/client.ts";
import { allTogether, RateLimit } from "../../../appliance/base/http/rate-limit.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";

/** Three an hour from an address, six from a network, a hundred in all. */
function threeAnHour() {
  const clock = new FakeClock();
  const limit = new RateLimit(clock, [
    { burst: 3, perSecond: 3 / 3_600, keyOf: addressKey },
    { burst: 6, perSecond: 6 / 3_600, keyOf: networkKey },
    allTogether({ burst: 100, perSecond: 100 / 3_600 }),
  ]);
  const taken = (whos: readonly string[]) => whos.filter((who) => limit.take(who) === 0).length;
  return { clock, limit, taken };
}

const addresses = (count: number) =>
  Array.from({ length: count }, (_, n) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);

describe("a rate limit in layers", () => {
  it("holds for an address", () => {
    assert.equal(threeAnHour().taken(Array(9).fill("192.0.2.1")), 3);
  });

  it("holds for a network that has many addresses", () => {
    const nets = Array.from({ length: 50 }, (_, n) => `2001:db8:1:${n.toString(16)}::1`);
    const { taken } = threeAnHour();
    assert.equal(taken(nets), 6);
    assert.equal(taken(["2001:db8:2::1"]), 1);
  });

  it("holds for all together, however many there are, and remembers no more than that", () => {
    const { clock, limit, taken } = threeAnHour();
    let all = 0;
    for (let hour = 0; hour < 3; hour++) {
      all += taken(addresses(100_010));
      assert.ok(limit.size <= 2 * 100 + 1, `${limit.size} are remembered`);
      clock.advance(60 * 60_000);
    }
    assert.equal(all, 3 * 100);
  });

  it("takes nothing of an address while another layer refuses", () => {
    const { clock, limit, taken } = threeAnHour();
    taken(addresses(100));
    for (let n = 0; n < 9; n++) assert.ok(limit.take("192.0.2.1") > 0);
    assert.equal(limit.ownWait("192.0.2.1"), 0);
    clock.advance(60 * 60_000);
    assert.equal(taken(Array(9).fill("192.0.2.1")), 3);
  });
});
