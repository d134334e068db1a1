import assert from "node:assert/strict";
import { crc32, deflateSync } from "node:zlib";
import { createCanvas } from "@napi-rs/canvas";
import { isRefusal } from "../../../appliance/base/refusal.ts";
import { Images } from "../../../appliance/deck/settings/images.ts";
import { MemoryDocuments } from "../../helpers/memory-documents.ts";
import { until } from "../../helpers/until.ts";

const drawn = (width: number, height: number, color = "#ff0000") => {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext("2d");
  context.fillStyle = color;
  context.fillRect(0, 0, width, height);
  return canvas;
};
const png = (width: number, height: number, color?: string) =>
  drawn(width, height, color).encodeSync("png");
/**
 * A marker without a length before a long segment. Who takes that segment's own marker for a length
 * jumps to the header in its midst, which no decoder sees.
 */
const decoyed = (file: Buffer) => {
  const [marker, segment] = [Buffer.from("ff01", "hex"), Buffer.alloc(65_537)];
  segment.writeUInt32BE(0xff_e1_ff_ff);
  segment.write("ffc0000b08000a000a01011100", 0xffe1, "hex");
  return Buffer.concat([file.subarray(0, 2), marker, segment, file.subarray(2)]);
};
/** A JPEG with another in its metadata, which has an end of its own, cut off after so many bytes. */
const previewed = (file: Buffer, bytes: number) => {
  const preview = jpeg(2, 2);
  const head = Buffer.from([0xff, 0xe1, (preview.length + 2) >> 8, (preview.length + 2) & 0xff]);
  return Buffer.concat([file.subarray(0, 2), head, preview, file.subarray(2)]).subarray(
    0,
    4 + preview.length + bytes,
  );
};
const jpeg = (width: number, height: number) => drawn(width, height).encodeSync("jpeg", 90);

const chunk = (type: string, data: Buffer) => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
};
/** A PNG that says it is so large; `data` is what it holds. */
const claimed = (width: number, height: number, data: Buffer) => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6], 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", data),
    chunk("IEND", Buffer.alloc(0)),
  ]);
};
const NOTHING: ReadonlySet<string> = new Set();
const KEY = { width: 72, height: 72 };

describe("pictures of keys", () => {
  let documents: MemoryDocuments<object>;
  let images: Images;
  beforeEach(() => {
    documents = new MemoryDocuments();
    images = new Images(documents);
  });
  const shown = async (hash: string) => {
    await until(() => images.fitted(hash, KEY) !== undefined);
    return images.fitted(hash, KEY);
  };

  it("are fitted into the slot, in the middle and whole", async () => {
    for (const file of [png(200, 100), jpeg(100, 50), png(20, 10)]) {
      const fitted = await shown(await images.add(file, NOTHING));
      assert.ok(fitted !== undefined && fitted !== "missing");
      const { width, height, data } = fitted.pixels;
      assert.deepEqual([width, height], [72, 72]);
      const alpha = (y: number) => data[(y * 72 + 36) * 4 + 3];
      assert.deepEqual([alpha(2), alpha(36), alpha(69)], [0, 255, 0]);
    }
  });

  it("may have a film behind them, as cameras write it", async () => {
    const film = Buffer.alloc(300_000, 0x2a);
    assert.ok(images.has(await images.add(Buffer.concat([jpeg(100, 50), film]), NOTHING)));
  });

  it("are read anew at so many times the slot's size, unless they are gone by then", async () => {
    const fitted = await shown(await images.add(png(200, 100), NOTHING));
    assert.ok(fitted !== undefined && fitted !== "missing");
    const fine = (await fitted.fine(3)) ?? assert.fail();
    assert.deepEqual([fine.width, fine.height], [216, 216]);
    // The edge of the picture is at 54 of 216, between two pixels of the slot's size.
    const alpha = (y: number) => fine.data[(y * 216 + 108) * 4 + 3];
    assert.deepEqual([alpha(52), alpha(55)], [0, 255]);
    documents.kept.clear();
    assert.equal(await fitted.fine(3), undefined);
  });

  it("have one name for one file, however often it comes", async () => {
    const [first, again] = [
      await images.add(png(9, 9), NOTHING),
      await images.add(png(9, 9), NOTHING),
    ];
    assert.equal(first, again);
    assert.equal(documents.kept.size, 1);
    assert.ok(images.has(first));
  });

  it("are missing where the file is gone", async () => {
    assert.equal(await shown("0".repeat(64)), "missing");
  });

  it("are missing where a backup brought a file that may not be opened", async () => {
    documents.kept.set("a", {
      body: {},
      file: claimed(20_000, 20_000, deflateSync(Buffer.alloc(1_000_000))),
    });
    await images.load();
    assert.equal(await shown("a"), "missing");
  });

  const bomb = deflateSync(Buffer.alloc(50_000_000));
  for (const [what, file, said] of [
    ["an empty file", Buffer.alloc(0), /no PNG and no JPEG/],
    ["a text", Buffer.from("hello"), /no PNG and no JPEG/],
    ["an SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), /no PNG and no JPEG/],
    ["a PNG that is cut off", png(300, 300, "#00ff00").subarray(0, 200), /broken or cut off/],
    ["a JPEG that is cut off", jpeg(300, 300).subarray(0, 400), /broken or cut off/],
    ["a JPEG that is cut off behind its small preview", previewed(jpeg(300, 300), 600), /cut off/],
    ["a JPEG with another header before its own", decoyed(jpeg(300, 300)), /broken/],
    ["a PNG 20,000 pixels wide", claimed(20_000, 10, bomb), /20000 × 10 pixels/],
    ["a PNG that unpacks to gigabytes", claimed(4_000, 4_000, bomb), /4000 × 4000 pixels/],
    ["a PNG of no size", claimed(0, 10, bomb), /broken/],
    [
      "a PNG without its header",
      Buffer.concat([png(9, 9).subarray(0, 8), chunk("IEND", Buffer.alloc(0))]),
      /broken/,
    ],
    ["a PNG with a wrong byte", png(300, 300).fill(7, 60, 61), /broken/],
  ] as const)
    it(`are refused that are ${what}`, async () => {
      await assert.rejects(
        images.add(Buffer.from(file), NOTHING),
        (error) => isRefusal(error, "invalid_image") && said.test(error.message),
      );
      assert.equal(documents.kept.size, 0);
    });

  it("that no key shows make room for new ones; those that are shown do not", async () => {
    const colors = Array.from({ length: 65 }, (_, i) => `#0000${(i + 16).toString(16)}`);
    const hashes: string[] = [];
    for (const color of colors.slice(0, 64))
      hashes.push(await images.add(png(4, 4, color), NOTHING));
    const newest = await images.add(png(4, 4, colors[64]), new Set(hashes.slice(0, 3)));
    const found = hashes.filter((hash) => !documents.kept.has(hash));
    assert.deepEqual(found, [hashes[3]]);
    assert.equal(documents.kept.size, 64);
    const all = new Set([...hashes, newest]);
    await assert.rejects(images.add(png(4, 4, "#abcdef"), all), (error) =>
      isRefusal(error, "image_limit"),
    );
  });
});
