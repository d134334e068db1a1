import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createCanvas } from "@napi-rs/canvas";
import type { Page } from "playwright-core";
import { animatedWebp } from "../../scripts/shots/animated-webp.ts";
import { ANIMATED, ENDING } from "../../scripts/shots/pictures.ts";
import { openProfile } from "../helpers/chromium.ts";

const PICTURE = join(import.meta.dirname, "../../web/pictures", ANIMATED + ENDING);
/** A page loads it with the rest of the README. */
const MOST_BYTES = 600_000;

/** An animation as a browser decodes it. */
interface Decoded {
  /** Durations of the frames in milliseconds. */
  times: number[];
  width: number;
  height: number;
  endless: boolean;
  /** Colours of the first and of the last pixel of each frame. */
  corners: number[][];
}

async function decoded(page: Page, file: Buffer): Promise<Decoded> {
  return page.evaluate<Decoded>(`(async () => {
    const data = Uint8Array.from(atob("${file.toString("base64")}"), (letter) => letter.charCodeAt(0));
    const decoder = new ImageDecoder({ data, type: "image/webp" });
    await decoder.tracks.ready;
    await decoder.completed;
    const { frameCount, repetitionCount } = decoder.tracks.selectedTrack;
    const seen = { times: [], corners: [], endless: repetitionCount === Infinity };
    for (let frameIndex = 0; frameIndex < frameCount; frameIndex += 1) {
      const { image } = await decoder.decode({ frameIndex });
      const { displayWidth: width, displayHeight: height } = image;
      const canvas = new OffscreenCanvas(width, height).getContext("2d");
      canvas.drawImage(image, 0, 0);
      const pixel = (x, y) => [...canvas.getImageData(x, y, 1, 1).data];
      seen.corners.push([...pixel(0, 0), ...pixel(width - 1, height - 1)]);
      seen.times.push(image.duration / 1_000);
      Object.assign(seen, { width, height });
      image.close();
    }
    return seen;
  })()`);
}

function still(size: number, color: string): Buffer {
  const canvas = createCanvas(size, size);
  const context = canvas.getContext("2d");
  context.fillStyle = color;
  context.fillRect(0, 0, size, size);
  return canvas.toBuffer("image/webp", 100);
}

describe("an animated picture", () => {
  let page: Page;
  before(async () => {
    const profile = await openProfile();
    page = await profile.newPage();
    // Only pages of a secure origin may decode.
    await page.route("https://pictures.example/", (route) => route.fulfill({ body: "" }));
    await page.goto("https://pictures.example/");
  });
  after(() => page.context().close());

  it("plays each still for its time, over the part that has changed", async () => {
    const file = animatedWebp([
      { still: still(8, "#ff0000"), at: [0, 0, 8, 8], ms: 1_200 },
      { still: still(2, "#0000ff"), at: [6, 6, 2, 2], ms: 80 },
    ]);
    const { corners, ...rest } = await decoded(page, file);
    assert.deepEqual(rest, { times: [1_200, 80], width: 8, height: 8, endless: true });
    const near = (is: number[], wanted: number[]) =>
      assert.ok(
        is.every((n, i) => Math.abs(n - (wanted[i] ?? 0)) <= 8),
        `${is}`,
      );
    near(corners[0] ?? [], [255, 0, 0, 255, 255, 0, 0, 255]);
    near(corners[1] ?? [], [255, 0, 0, 255, 0, 0, 255, 255]);
  });

  it("is the one of the README, small enough to load with it", async () => {
    const file = readFileSync(PICTURE);
    assert.ok(file.length <= MOST_BYTES, `${file.length} bytes`);
    const { times, endless } = await decoded(page, file);
    assert.ok(times.length > 5 && endless);
  });
});
