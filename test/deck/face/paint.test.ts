import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { encodeJpeg, encodePng, paint, paintFine } from "../../../appliance/deck/face/paint.ts";
import type { TextFace } from "../../../appliance/deck/face/plain.ts";
import { drawableCharacters } from "../../helpers/drawable.ts";
import { drawn } from "../../helpers/long.ts";
import * as pictures from "../../helpers/pictures.ts";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";
import {
  colorsOf,
  heldByEach,
  inkedBands,
  pixelAt,
  readQrCode,
  shrunk,
  sideBySide,
} from "../pictures.ts";
import { GALLERY, SIZES } from "./gallery.ts";

/** Ten seconds for what draws each face at each size there is, and compares the pixels. */

const GOLDEN = new URL("../../fixtures/golden/", import.meta.url);
const GOLDEN_SIZES = [
  [72, 72],
  [96, 96],
  [176, 112],
  [248, 58],
] as const;
/** Builds for other machines round an edge pixel differently by a level or two. */
const TOLERANCE = 4;

const textFace = (text: string, colors = {}): TextFace => ({
  kind: "text",
  text,
  color: "#ffffff",
  background: "#000000",
  ...colors,
});

const draw = (name: string, width: number, height: number) => {
  const face = GALLERY[name]?.(width, height);
  assert.ok(face);
  return paint(face, { width, height });
};

const decode = async (file: Uint8Array) => {
  const pixels = await pictures.decode(file);
  assert.ok(pixels, "The file is broken.");
  return pixels;
};

// Loops, for these are millions of bytes.

function largestDifference(ours: Uint8ClampedArray, theirs: Uint8ClampedArray): number {
  let most = 0;
  for (let i = 0; i < ours.length; i++)
    most = Math.max(most, Math.abs((ours[i] as number) - (theirs[i] ?? 0)));
  return most;
}

function isOpaque(data: Uint8ClampedArray): boolean {
  for (let i = 3; i < data.length; i += 4) if (data[i] !== 255) return false;
  return true;
}

const key = { width: 72, height: 72 };

describe("paint", () => {
  for (const name of Object.keys(GALLERY)) {
    it(`draws ${name} as it did before`, async () => {
      const sheet = sideBySide(GOLDEN_SIZES.map(([width, height]) => draw(name, width, height)));
      const file = new URL(`${name}.png`, GOLDEN);
      if (process.env.UPDATE_GOLDEN) writeFileSync(file, encodePng(sheet));
      assert.ok(
        existsSync(file),
        "Run the tests once with UPDATE_GOLDEN=1 and look at the picture.",
      );
      const golden = await decode(readFileSync(file));
      assert.deepEqual([sheet.width, sheet.height], [golden.width, golden.height]);
      assert.ok(
        largestDifference(sheet.data, golden.data) <= TOLERANCE,
        "The drawing changed. If it should, set UPDATE_GOLDEN=1 and look at it.",
      );
    });
  }

  it("has no golden picture of something that is gone", () => {
    const names = readdirSync(GOLDEN).map((file) => file.replace(".png", ""));
    assert.deepEqual(names.sort(), Object.keys(GALLERY).sort());
  });

  for (const [width, height] of SIZES) {
    describe(`on a slot of ${width}×${height}`, () => {
      it("fills exactly the slot, opaque", () => {
        for (const name of Object.keys(GALLERY)) {
          const pixels = draw(name, width, height);
          assert.deepEqual([pixels.width, pixels.height], [width, height]);
          assert.equal(pixels.data.length, width * height * 4);
          assert.ok(isOpaque(pixels.data));
        }
      });

      it("draws four lines", () => {
        const pixels = paint(textFace("MAIN\n4821\nDONE\n3:12"), { width, height });
        assert.equal(inkedBands(pixels, "#000000"), 4);
      });

      it("shows a QR code that scans", () => {
        const code = readQrCode(draw("address-code", width, height));
        assert.equal(code, "http://tallydeck.local:3000/");
      });
    });
  }

  it("draws nothing for an empty text", () => {
    const colors = colorsOf(paint(textFace("", { background: "#123456" }), key)).flat();
    assert.deepEqual([...new Set(colors)], ["#123456"]);
  });

  it("draws what comes after an empty first line lower", () => {
    const [alone, lower] = [textFace("A"), textFace("\n\nA")].map((face) =>
      colorsOf(paint(face, key)).findIndex((row) => row.some((color) => color !== "#000000")),
    );
    assert.ok((lower ?? 0) > (alone ?? 0));
  });

  it("draws digits of one width, so that nothing jumps when a number counts", () => {
    const columns = (text: string) => {
      const rows = colorsOf(paint(textFace(`#${text}#`), { width: 248, height: 58 }));
      return [...Array(248).keys()].filter((x) => rows.some((row) => row[x] !== "#000000"));
    };
    const edges = (text: string) => [columns(text)[0], columns(text).at(-1)];
    assert.deepEqual(edges("1117"), edges("8888"));
  });

  it("keeps text clear of the slot's edge, whatever it says", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...drawableCharacters(), "\n"), { maxLength: 256 }),
        fc.constantFrom(...SIZES),
        (characters, [width, height]) => {
          const pixels = paint(textFace(characters.join("")), { width, height });
          const isInked = (x: number, y: number) =>
            pixelAt(pixels, x, y).some((value, i) => i !== 3 && value !== 0);
          const across = Array.from({ length: width }, (_, x) => x);
          const down = Array.from({ length: height }, (_, y) => y);
          assert.ok(!across.some((x) => isInked(x, 0) || isInked(x, height - 1)));
          assert.ok(!down.some((y) => isInked(0, y) || isInked(width - 1, y)));
        },
      ),
      { numRuns: 150 },
    );
  });

  it("gives the same pixels for the same face", () => {
    assert.deepEqual(draw("stat-up", 72, 72).data, draw("stat-up", 72, 72).data);
  });

  const finer = async (name: string, [width, height]: readonly [number, number], scale: number) => {
    const face = GALLERY[name]?.(width, height) ?? assert.fail();
    return decode(await paintFine(face, { width, height }, { scale }));
  };

  it("draws each face finer in the very same layout", async () => {
    for (const [name] of drawn(GALLERY))
      for (const size of GOLDEN_SIZES) {
        const fine = await finer(name, size, 3);
        assert.deepEqual([fine.width, fine.height], [size[0] * 3, size[1] * 3]);
        // Small letters are fitted to whole pixels; other breaks of lines are off by 20 and more.
        const off = pictures.difference(draw(name, size[0], size[1]), shrunk(fine, 3).pixels);
        assert.ok(off < 12, `${name}, ${size.join("×")}: ${off}`);
      }
  });

  it("draws letters, lines and codes finer, and blows nothing up", async () => {
    for (const name of ["text", "stat-up", "icon-alone", "gauge"]) {
      const { mixed } = shrunk(await finer(name, [176, 112], 3), 3);
      assert.ok(mixed > 100, `${name}: ${mixed}`);
    }
    // Modules are of whole pixels.
    const code = await finer("address-code", [96, 96], 3);
    assert.equal(shrunk(code, 3).mixed, 0);
    assert.ok(readQrCode(code)?.startsWith("http"));
  });

  it("draws a face the same whatever it drew before", () => {
    const bytes = (name: string, [width, height]: (typeof GOLDEN_SIZES)[number]) =>
      Buffer.from(draw(name, width, height).data);
    const all = Object.keys(GALLERY).flatMap((name) =>
      GOLDEN_SIZES.map((size) => ({ name, size, before: bytes(name, size) })),
    );
    const { below } = seeded(TEST_SEED);
    while (all.length > 0) {
      for (const { name, size, before } of all.splice(below(all.length), 1))
        assert.ok(before.equals(bytes(name, size)), `${name}, ${size}; TEST_SEED=${TEST_SEED}`);
    }
  });

  it("leaves a picture alone once it is handed out", () => {
    const first = draw("push-word", 72, 72);
    const before = first.data.slice();
    draw("push-colors", 72, 72);
    assert.deepEqual(first.data, before);
  });
});

/** Red, green, white and blue quarters, from the top left clockwise. */
const quarters = (width: number, height: number) =>
  pictures.draw(width, height, (x, y) => {
    if (y < height / 2) return x < width / 2 ? [255, 0, 0] : [0, 255, 0];
    return x < width / 2 ? [0, 0, 255] : [255, 255, 255];
  });

const noise = (width: number, height: number) => {
  let seed = 7;
  const next = () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (seed >> 16) & 255;
  };
  return pictures.draw(width, height, () => [next(), next(), next()]);
};

describe("encodeJpeg", () => {
  const names = ["red", "green", "blue", "white"];
  const nameOf = ([r = 0, g = 0, b = 0]: number[]) =>
    names[[r > 128 && g < 128, g > 128 && r < 128, b > 128 && r < 128, true].indexOf(true)];

  for (const [rotate, corners] of [
    [0, ["red", "green", "white", "blue"]],
    [90, ["blue", "red", "green", "white"]],
    [180, ["white", "blue", "red", "green"]],
    [270, ["green", "white", "blue", "red"]],
  ] as const) {
    it(`turns the drawing clockwise by ${rotate} degrees`, async () => {
      const { width, height, ...turned } = await decode(
        encodeJpeg(quarters(64, 32), { rotate, quality: 90 }),
      );
      assert.deepEqual([width, height], rotate % 180 === 0 ? [64, 32] : [32, 64]);
      const at = (x: number, y: number) => nameOf(pixelAt({ width, height, ...turned }, x, y));
      const [left, top, right, bottom] = [4, 4, width - 5, height - 5];
      const seen = [at(left, top), at(right, top), at(right, bottom), at(left, bottom)];
      assert.deepEqual(seen, corners);
    });
  }

  it("makes a baseline file of one scan, its headers within the first 1023 bytes", () => {
    const jpeg = Buffer.from(encodeJpeg(draw("address-code", 64, 64), { rotate: 90, quality: 92 }));
    const markers = jpegMarkers(jpeg);
    assert.ok(markers.has(0xc0), "baseline");
    assert.ok(!markers.has(0xc2), "not progressive");
    assert.ok((markers.get(0xda) ?? 1_024) < 1_023);
    assert.equal(
      jpeg.indexOf(Buffer.from([0xff, 0xda])),
      jpeg.lastIndexOf(Buffer.from([0xff, 0xda])),
    );
  });

  it("lowers the quality until the file fits, and keeps it whole", async () => {
    const pixels = noise(112, 112);
    assert.ok(encodeJpeg(pixels, { rotate: 0, quality: 92 }).length > 10_240);
    const small = encodeJpeg(pixels, { rotate: 0, quality: 92, maxBytes: 5_000 });
    assert.ok(small.length <= 5_000);
    assert.deepEqual([...small.subarray(-2)], [0xff, 0xd9]);
    assert.equal((await decode(small)).width, 112);
  });

  it("spends the whole quality where the file fits", () => {
    const pixels = draw("push-word", 72, 72);
    assert.deepEqual(
      encodeJpeg(pixels, { rotate: 0, quality: 92, maxBytes: 10_240 }),
      encodeJpeg(pixels, { rotate: 0, quality: 92 }),
    );
  });

  it("holds nothing but the file, however the drawing is turned", async () => {
    const pixels = draw("push-word", 96, 72);
    for (const rotate of [0, 90, 180, 270] as const) {
      const held = await heldByEach(50, () => encodeJpeg(pixels, { rotate, quality: 92 }));
      assert.ok(held < 8_000, `${held} bytes for each, turned by ${rotate}`);
    }
  });

  it("says so when no quality fits", () => {
    assert.throws(
      () => encodeJpeg(noise(112, 112), { rotate: 0, quality: 92, maxBytes: 500 }),
      /112×112 pixels does not fit in 500 bytes/,
    );
  });

  it("keeps every face within the smallest limits of the panels", () => {
    for (const name of Object.keys(GALLERY)) {
      const limits = [
        [64, 4_096],
        [85, 5_120],
        [112, 10_240],
      ] as const;
      for (const [size, maxBytes] of limits) {
        const options = { rotate: 270, quality: 92, maxBytes } as const;
        assert.ok(encodeJpeg(draw(name, size, size), options).length <= maxBytes);
      }
    }
  });
});

describe("encodePng", () => {
  it("keeps every pixel", async () => {
    const pixels = draw("stat-up", 176, 112);
    assert.deepEqual((await decode(encodePng(pixels))).data, pixels.data);
  });
});

/** The places of the markers of a JPEG's head, up to the start of its first scan. */
function jpegMarkers(jpeg: Buffer): Map<number, number> {
  const markers = new Map<number, number>();
  for (let at = 2; !markers.has(0xda); at += 2 + jpeg.readUInt16BE(at + 2)) {
    assert.equal(jpeg[at], 0xff);
    markers.set(jpeg[at + 1] ?? 0, at);
  }
  return markers;
}
