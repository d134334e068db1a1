import { CRT, CrtPanel } from "./crt.ts";
import { type DeckDriver, type DriverContext, wordOf } from "./driver.ts";
import type { Akp05Model, MiraboxModel } from "./model.ts";

/** Drives a unit of the Mirabox CRT family. */
export function openMirabox(context: DriverContext<MiraboxModel>): DeckDriver {
  const { wire } = context.model;
  const panel = new CrtPanel(context);
  hearInputs(context);

  return {
    serial: context.usbSerial,
    firmware: () => firmwareOf(context),
    heartbeat: wire.heartbeat && {
      everyMs: wire.heartbeat.everyMs,
      patienceMs: wire.heartbeat.patienceMs,
      beat: () => panel.command(CRT.heartbeat),
    },
    repaintMs: wire.repaintMs,
    initialise: (brightness) => panel.open(brightness),
    setBrightness: (percent) => panel.setBrightness(percent),
    async paint(next) {
      let sent = false;
      for (let picture = next(); picture !== undefined; picture = next()) {
        await panel.upload(picture.slot, picture.pixels);
        sent = true;
      }
      // One commit shows the whole batch; one for each key would take twice as long.
      if (sent) await panel.command(CRT.commit);
    },
    farewell: () => panel.clear(),
  };
}

/** Drives an AJAZZ AKP05 or AKP05E: ten keys, a touch strip of four windows, four dials. */
export function openAkp05(context: DriverContext<Akp05Model>): DeckDriver {
  const { wire } = context.model;
  const panel = new CrtPanel(context);
  hearInputs(context);

  return {
    serial: context.usbSerial,
    firmware: () => firmwareOf(context),
    heartbeat: wire.heartbeat && {
      everyMs: wire.heartbeat.everyMs,
      patienceMs: wire.heartbeat.patienceMs,
      // The heartbeat alone would keep the host, but make the panel refuse pictures.
      async beat(brightness) {
        await panel.command(CRT.wake);
        await panel.setBrightness(brightness);
        await panel.command(CRT.heartbeat);
      },
    },
    repaintMs: wire.repaintMs,
    initialise: (brightness) => panel.open(brightness),
    setBrightness: (percent) => panel.setBrightness(percent),
    async paint(next) {
      for (let picture = next(); picture !== undefined; picture = next()) {
        await panel.upload(picture.slot, picture.pixels);
        await panel.command(CRT.endUpload);
      }
    },
    // Closes silently: the firmware can wedge on a goodbye.
    farewell: async () => {},
  };
}

/** Feature report 1 is the name of the firmware. */
async function firmwareOf({ hid }: DriverContext): Promise<string> {
  const answer = await hid.getFeatureReport(FIRMWARE.report, FIRMWARE.bytes);
  // Units that number their reports put the report id first.
  const start = answer[0] === FIRMWARE.report ? 1 : 0;
  return wordOf(answer.toString("latin1", start));
}

const FIRMWARE = { report: 0x01, bytes: 20 };

const ACKNOWLEDGE = Buffer.from([0x41, 0x43, 0x4b]);
const CODE_AT = 9;
const STATE_AT = 10;
const WRITE_ACKNOWLEDGED = 0xff;

/** A report of a switch, a touch or a dial. */
interface CrtInput {
  readonly code: number;
  readonly down: boolean;
}

/** Reports every key, zone, dial and swipe of a unit, and ignores unknown codes. */
function hearInputs(context: DriverContext<MiraboxModel | Akp05Model>): void {
  const tellers = inputHandlersOf(context);
  context.hid.on("data", (report) => {
    const input = readInput(report);
    if (input !== undefined) tellers.get(input.code)?.(input.down);
  });
}

/** Reads an input report; undefined for other reports, like the answer to a write. */
function readInput(report: Buffer): CrtInput | undefined {
  // Units that number their reports put the report id first.
  const start = report.subarray(0, 4).indexOf(ACKNOWLEDGE);
  if (start === -1) return undefined;
  const code = report[start + CODE_AT];
  const state = report[start + STATE_AT];
  if (code === undefined || state === undefined || code === WRITE_ACKNOWLEDGED) return undefined;
  return { code, down: state === 1 };
}

/** Code of an input → the function that reports it. */
function inputHandlersOf(
  context: DriverContext<MiraboxModel | Akp05Model>,
): ReadonlyMap<number, (down: boolean) => void> {
  const { slots, inputs, wire } = context.model;
  const tellers = new Map<number, (down: boolean) => void>();
  for (const [index, code] of wire.inputCodes.entries()) {
    const slot = slots[index];
    if (slot !== undefined) tellers.set(code, teller(context, slot.slot, slot));
  }
  for (const [index, { press, left, right }] of wire.dialCodes.entries()) {
    const dial = inputs[index];
    if (dial === undefined) continue;
    tellers.set(press, teller(context, dial.input, dial));
    // A step is one report, with any state.
    tellers.set(left, () => context.onTurn(dial.input, -1));
    tellers.set(right, () => context.onTurn(dial.input, 1));
  }
  if (wire.swipeCodes !== undefined) {
    tellers.set(wire.swipeCodes.left, () => context.onSwipe("left"));
    tellers.set(wire.swipeCodes.right, () => context.onSwipe("right"));
  }
  return tellers;
}

function teller(
  context: DriverContext,
  place: string,
  { kind, hasRelease }: { kind: string; hasRelease: boolean },
): (down: boolean) => void {
  if (hasRelease) return (down) => context.onKey(place, down);
  return (down) => {
    // A touch is one report, with any state.
    if (down || kind === "zone") context.onTap(place);
  };
}
