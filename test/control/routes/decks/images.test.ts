import assert from "node:assert/strict";
import { encodePng } from "../../../../appliance/deck/face/paint.ts";
import { assertError, Owner } from "../../../helpers/owner.ts";
import * as pictures from "../../../helpers/pictures.ts";
import { until } from "../../../helpers/until.ts";
import { sharedWorld } from "../../../helpers/world.ts";

describe("pictures of the owner", () => {
  const world = sharedWorld({ env: { VIRTUAL_DECK: "mk2" } });
  const owner = new Owner(world);
  const K3 = "/api/decks/virtual-mk2/slots/k3";
  const upload = (file: Uint8Array) => owner.ask("PUT", "/api/images", Buffer.from(file));
  const middle = async () => {
    const { body } = await owner.ask("GET", `${K3}/image.png`);
    const pixels = await pictures.decode(body);
    return [...(pixels?.data.subarray((36 * 72 + 36) * 4, (36 * 72 + 36) * 4 + 3) ?? [])];
  };

  it("are uploaded, and shown on a key", async () => {
    const { status, json } = await upload(encodePng(pictures.draw(90, 90, () => [10, 200, 30])));
    assert.equal(status, 200);
    assert.match(json.image, /^[0-9a-f]{64}$/);
    const set = await owner.ask("PUT", K3, { widget: { type: "image", image: json.image } });
    assert.equal(set.status, 200);
    let seen: number[] = [];
    const look = async () => {
      seen = await middle();
    };
    await look();
    await until(() => {
      void look();
      return seen[1] === 200;
    });
    assert.deepEqual(seen, [10, 200, 30]);
  });

  it("that are none are refused with a sentence", async () => {
    assertError(await upload(Buffer.from("GIF89a")), 400, "invalid_image");
    assertError(await upload(Buffer.alloc(524_289)), 413, "payload_too_large");
  });

  it("that were not uploaded are not set", async () => {
    const widget = { type: "image", image: "0".repeat(64) };
    const reply = await owner.ask("PUT", K3, { widget });
    assertError(reply, 400, "invalid_field");
    assert.match(reply.json.error, /widget\.image/);
  });
});
