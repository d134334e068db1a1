import assert from "node:assert/strict";
import { FinePictures } from "../../../appliance/deck/display/fine-pictures.ts";

const MB = 1_048_576;

/** A drawing of so many bytes; `painted` has each scale that it was painted at. */
function drawing(bytes = 100) {
  const painted: number[] = [];
  const fine = async (scale: number) => {
    painted.push(scale);
    return new Uint8Array(bytes);
  };
  return { painted, fine };
}

describe("fine pictures", () => {
  it("are painted once for all who ask, and anew at another scale", async () => {
    const [pictures, key] = [new FinePictures(), drawing()];
    const [one, two] = await Promise.all([pictures.png(key, 2), pictures.png(key, 2)]);
    assert.equal(one, two);
    assert.equal(await pictures.png(key, 2), one);
    await pictures.png(key, 3);
    assert.deepEqual(key.painted, [2, 3]);
  });

  it("are 4 MB at the most, those asked for last", async () => {
    const pictures = new FinePictures();
    const [first, second, third] = [drawing(1.9 * MB), drawing(1.9 * MB), drawing(1.9 * MB)];
    for (const key of [first, second, first, third, first, second]) await pictures.png(key, 4);
    const found = [first, second, third].map(({ painted }) => painted.length);
    assert.deepEqual(found, [1, 2, 1]);
  });

  it("are tried again where one could not be painted", async () => {
    const pictures = new FinePictures();
    let tries = 0;
    const key = {
      fine: async () => {
        tries += 1;
        if (tries === 1) throw new Error("no memory");
        return new Uint8Array(1);
      },
    };
    await assert.rejects(pictures.png(key, 2), /no memory/);
    assert.equal((await pictures.png(key, 2)).length, 1);
  });
});
