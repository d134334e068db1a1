import { CRT, CrtPanel } from "./crt.ts";
import { type DeckDriver, type DriverContext, wordOf } from "./driver.ts";
import type { CrtModel, DriverInput } from "./model.ts";

/** Drives a unit of the Mirabox CRT family, or an AJAZZ AKP05 or AKP05E: ten keys, a touch strip of four windows, four dials. */
export function openCrt(context: DriverContext<CrtModel>): DeckDriver {
  const { family, wire } = context.model;
  const isAkp05 = family === "akp05";
  const panel = new CrtPanel(context);
  hearInputs(context);

  return {
    serial: context.usbSerial,
    firmware: () => firmwareOf(context),
    heartbeat: wire.heartbeat && {
      everyMs: wire.heartbeat.everyMs,
      patienceMs: wire.heartbeat.patienceMs,
      async beat(brightness) {
        if (isAkp05) {
          // The heartbeat alone would keep the host, but make the panel refuse pictures.
          await panel.command(CRT.wake);
          await panel.setBrightness(brightness);
        }
        await panel.command(CRT.heartbeat);
      },
    },
    repaintMs: wire.repaintMs,
    initialise: (brightness) => panel.open(brightness),
    setBrightness: (percent) => panel.setBrightness(percent),
    async paint(next) {
      let sent = false;
      for (let picture = next(); picture !== undefined; picture = next()) {
        await panel.upload(picture.slot, picture.pixels);
        if (isAkp05) await panel.command(CRT.endUpload);
        sent = true;
      }
      // One commit shows the whole batch; one for each key would take twice as long.
      if (sent && !isAkp05) await panel.command(CRT.commit);
    },
    // An AKP05 closes silently: the firmware can wedge on a goodbye.
    farewell: async () => (isAkp05 ? undefined : panel.clear()),
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

interface CrtInput {
  readonly code: number;
  readonly down: boolean;
}

/** Reports every key, zone, dial and swipe of a unit, and ignores unknown codes. */
function hearInputs(context: DriverContext<CrtModel>): void {
  const inputs = inputsOf(context.model);
  context.hid.on("data", (report) => {
    const told = readInput(report);
    const input = told && inputs.get(told.code)?.(told.down);
    if (input !== undefined) context.onInput(input);
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

type ReadInput = (down: boolean) => DriverInput | undefined;

/** Code of an input → what its report says. */
function inputsOf({ slots, inputs, wire }: CrtModel): ReadonlyMap<number, ReadInput> {
  const all = new Map<number, ReadInput>();
  for (const [index, code] of wire.inputCodes.entries()) {
    const slot = slots[index];
    if (slot !== undefined) all.set(code, pressOf(slot.slot, slot));
  }
  for (const [index, { press, left, right }] of wire.dialCodes.entries()) {
    const dial = inputs[index];
    if (dial === undefined) continue;
    all.set(press, pressOf(dial.input, dial));
    // A step is one report, with any state.
    all.set(left, () => ({ what: "turn", place: dial.input, by: -1 }));
    all.set(right, () => ({ what: "turn", place: dial.input, by: 1 }));
  }
  for (const place of ["left", "right"] as const)
    if (wire.swipeCodes !== undefined)
      all.set(wire.swipeCodes[place], () => ({ what: "swipe", place }));
  return all;
}

function pressOf(
  place: string,
  { kind, hasRelease }: { kind: string; hasRelease: boolean },
): ReadInput {
  if (hasRelease) return (down) => ({ what: down ? "down" : "up", place });
  // A touch is one report, with any state.
  return (down) => (down || kind === "zone" ? { what: "tap", place } : undefined);
}
