import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createCanvas, ImageData } from "@napi-rs/canvas";
import { type Notice, noticeFace } from "../../appliance/deck/face/notices.ts";
import { paint } from "../../appliance/deck/face/paint.ts";
import type { Pixels } from "../../appliance/deck/pixels.ts";
import type { FakeUnit } from "../../test/helpers/fake-hid.ts";
import { decode, difference } from "../../test/helpers/pictures.ts";
import type { Box } from "./box.ts";

const DEADLINE_MS = 15 * 60_000;
/** Mean difference a JPEG may bring. */
const ALIKE = 12;

/** Asks again and again until there is an answer, which `false` is not. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  deadlineMs = DEADLINE_MS,
): Promise<T> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const answer = await ask().catch(() => undefined);
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`${what}: not after ${deadlineMs / 1_000} s`);
    await pause(1_000);
  }
}

/** The setup code on the box's screen, if there is one. */
export async function codeOnScreen(box: Box): Promise<string | undefined> {
  const { text } = await box.machine.shell.run("cat /dev/vcs1");
  return /Setup code (\d{6})/.exec(text)?.[1];
}

export function codeToCome(box: Box): Promise<string> {
  return until("a setup code on the screen", () => codeOnScreen(box));
}

/** Waits until a slot of the panel shows a setup code. */
export async function showsCode(
  unit: FakeUnit,
  slots: readonly string[],
  code: string,
): Promise<void> {
  await slotWith(unit, slots, { type: "setup-code", code });
}

/** Waits until a slot of the panel shows a notice, and resolves with the slot. */
export function slotWith(
  unit: FakeUnit,
  slots: readonly string[],
  notice: Notice,
): Promise<string> {
  const face = noticeFace(notice);
  return until(`${JSON.stringify(notice)} on the panel`, async () => {
    for (const slot of slots) {
      const shown = await unit.shown(slot);
      if (shown === undefined) continue;
      const expected = paint(face, shown);
      const dark = { ...expected, data: new Uint8ClampedArray(expected.data.length) };
      if (difference(shown, expected) < difference(dark, expected) / 4) return slot;
    }
    return undefined;
  });
}

/** Signs in with the setup code and makes the admin token. */
export async function takeOver(box: Box): Promise<string> {
  const answer = await box.control("POST", "/api/session", { code: await codeToCome(box) });
  assert.equal(answer.status, 204, answer.body.toString());
  box.cookie = answer.cookie;
  const made = await box.control("POST", "/api/admin-token");
  assert.ok(made.status < 300, made.body.toString());
  return made.json.token;
}

/** The deck of a model that the box says is plugged in. */
export function deckOf(box: Box, name: RegExp): Promise<{ id: string; slots: { slot: string }[] }> {
  return until(`a connected deck like ${name}`, async () => {
    const { decks } = (await box.control("GET", "/api/decks")).json;
    return decks.find(
      (deck: { name: string; model: string; connected: boolean }) =>
        deck.connected && (name.test(deck.name) || name.test(deck.model)),
    );
  });
}

/** Waits until a slot of the panel shows what the box says it shows. */
export async function showsTheSame(
  box: Box,
  unit: FakeUnit,
  id: string,
  slot: string,
): Promise<void> {
  let apart: number | undefined;
  await until(`${slot} shows what the Web UI shows (${apart} apart)`, async () => {
    const answer = await box.control(
      "GET",
      `/api/decks/${encodeURIComponent(id)}/slots/${slot}/image.png`,
    );
    const [told, shown] = [await decode(answer.body), await unit.shown(slot)];
    if (!told || !shown) return undefined;
    apart = difference(told, shown);
    return apart <= ALIKE ? apart : undefined;
  });
}

/** The panel as a picture: all its slots beside each other, five in a row. */
export async function photograph(
  unit: FakeUnit,
  slots: readonly string[],
  file: string,
): Promise<void> {
  const shown = await Promise.all(slots.map((slot) => unit.shown(slot)));
  const size = Math.max(...shown.map((pixels) => pixels?.width ?? 0)) + 12;
  const canvas = createCanvas(5 * size, Math.ceil(slots.length / 5) * size);
  const context = canvas.getContext("2d");
  context.fillStyle = "#202020";
  context.fillRect(0, 0, canvas.width, canvas.height);
  for (const [index, pixels] of shown.entries())
    if (pixels) put(context, pixels, (index % 5) * size + 6, Math.floor(index / 5) * size + 6);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, canvas.toBuffer("image/png"));
}

function put(
  context: ReturnType<ReturnType<typeof createCanvas>["getContext"]>,
  { width, height, data }: Pixels,
  x: number,
  y: number,
): void {
  context.putImageData(new ImageData(new Uint8ClampedArray(data), width, height), x, y);
}
