/** Reports of the panels of the Mirabox CRT family. */
import type { DriverContext } from "./driver.ts";
import type { Akp05Model, MiraboxModel } from "./model.ts";

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
export function hearInputs(context: DriverContext<MiraboxModel | Akp05Model>): void {
  const tellers = tellersOf(context);
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
function tellersOf(
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
