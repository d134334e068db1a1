import type { ElgatoModel, ModelInput, ModelSlot } from "./model.ts";
import { columns, inputs, keys, panel, strip } from "./places.ts";

const ELGATO = 0x0fd9;

/** Ids, sizes and places follow @elgato-stream-deck/core, which drives them; a test holds them together. */
function elgato(
  id: string,
  name: string,
  products: readonly number[],
  slots: readonly ModelSlot[],
  inputs: readonly ModelInput[] = [],
  hasStrip = false,
): ElgatoModel {
  return {
    family: "elgato",
    id,
    name: `Elgato Stream Deck ${name}`,
    usb: products.map((product) => ({ vendor: ELGATO, product })),
    evidence: "SRC",
    slots,
    inputs,
    hasStrip,
  };
}

const FIFTEEN = keys({ columns: 5, rows: 3, width: 72 });
const SIX = keys({ columns: 3, rows: 2, width: 80 });
const THIRTY_TWO = keys({ columns: 8, rows: 4, width: 96 });

export const ELGATO_MODELS: readonly ElgatoModel[] = [
  elgato("original", "Original", [0x0060], FIFTEEN),
  elgato("original-v2", "Original V2", [0x006d], FIFTEEN),
  elgato("mk2", "MK.2", [0x0080], FIFTEEN),
  elgato("mk2-scissor", "MK.2 (scissor keys)", [0x00a5], FIFTEEN),
  elgato("module-15", "15-key module", [0x00b9], FIFTEEN),
  elgato("mini", "Mini", [0x0063, 0x0090, 0x00b3], SIX),
  elgato("module-6", "6-key module", [0x00b8], SIX),
  elgato("xl", "XL", [0x006c, 0x008f], THIRTY_TWO),
  elgato("module-32", "32-key module", [0x00ba], THIRTY_TWO),
  elgato(
    "plus",
    "+",
    [0x0084],
    [...keys({ columns: 4, rows: 2, width: 120 }), ...strip(4, 2, 200, 100)],
    inputs("dial", { row: 3, columns: columns(4) }),
    true,
  ),
  elgato(
    "plus-xl",
    "+ XL",
    [0x00c6],
    [...keys({ columns: 9, rows: 4, width: 112 }), ...strip(6, 4, 200, 100)],
    inputs("dial", { row: 5, columns: [0, 2, 3, 5, 6, 8] }),
    true,
  ),
  elgato(
    "neo",
    "Neo",
    [0x009a],
    [
      ...keys({ columns: 4, rows: 2, width: 96 }),
      ...panel([{ column: 1, row: 2, width: 248, height: 58 }]),
    ],
    inputs("touch", { row: 2, columns: [0, 3] }),
  ),
  elgato(
    "studio",
    "Studio",
    [0x00aa],
    keys({ columns: 16, rows: 2, width: 144, height: 112, from: 1 }),
    inputs("dial", { row: 0, columns: [0, 17] }),
  ),
  elgato("pedal", "Pedal", [0x0086], [], inputs("button", { row: 0, columns: columns(3) })),
];
