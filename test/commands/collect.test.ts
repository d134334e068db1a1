import assert from "node:assert/strict";
import { tallydeck } from "../helpers/tallydeck.ts";

describe("tallydeck collect", () => {
  it("does nothing without a database", async () => {
    const { code, err } = await tallydeck(["collect"]);
    assert.equal(code, 2);
    assert.match(err, /name it in DATABASE_URL/);
  });

  it("takes no flag of the decks", async () => {
    const { code, err } = await tallydeck(["collect", "--virtual-deck", "mk2"]);
    assert.deepEqual([code, /There is no option --virtual-deck/.test(err)], [2, true]);
  });
});
