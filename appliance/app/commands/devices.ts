import { messageOf } from "../../base/message-of.ts";
import { createDeckBus, type DeckBus, OpenError, type UsbUnit } from "../../deck/usb/hid.ts";
import type { Model } from "../../deck/usb/model.ts";
import { EVIDENCE_TEXT, MODELS, modelByUsb } from "../../deck/usb/models.ts";
import { CommandFailed, command, outJson, switches } from "./command.ts";

export const devices = command({
  alone: "devices",
  help: `tallydeck devices: the decks that are plugged into this machine, and whether they can be used.

  tallydeck devices             lists them
  tallydeck devices --models    lists every model that is known, by its id for --virtual-deck

  --json                        either as JSON`,
  options: switches("models", "json"),
  async run({ values }, terminal) {
    if (values.models) {
      if (values.json) outJson(terminal, MODELS.map(modelJson));
      else for (const model of MODELS) terminal.out(modelLine(model));
      return;
    }
    const found = await findDevices(createDeckBus());
    if (values.json) outJson(terminal, found);
    else for (const line of linesOf(found)) terminal.out(line);
  },
});

interface Found {
  readonly model: string;
  readonly name: string;
  readonly port: string;
  readonly serial: string;
  readonly evidence: Model["evidence"];
  /** The reason that it cannot be used; null where it can. */
  readonly problem: string | null;
}

/** @throws {CommandFailed} where the bus cannot be read */
export async function unitsOn(bus: DeckBus): Promise<UsbUnit[]> {
  const units: UsbUnit[] = [];
  try {
    (await bus.watch({ attached: (unit) => units.push(unit), detached: () => {} }))();
  } catch (error) {
    throw new CommandFailed(`This machine's USB cannot be read: ${messageOf(error)}`);
  }
  return units;
}

/** The decks on the bus; each is opened for a moment and nothing is sent to it. @throws {CommandFailed} */
export async function findDevices(bus: DeckBus): Promise<Found[]> {
  const found: Found[] = [];
  for (const unit of await unitsOn(bus)) {
    const { port, serial } = unit;
    const model = modelByUsb(unit.vendor, unit.product);
    if (model === undefined) continue;
    const { id, name, evidence } = model;
    found.push({ model: id, name, port, serial, evidence, problem: await problemOf(bus, unit) });
  }
  return found;
}

export function linesOf(found: readonly Found[]): string[] {
  if (found.length === 0)
    return [
      "No supported deck is plugged in. `tallydeck devices --models` lists what is supported.",
    ];
  return found.map(({ model, name, port, serial, evidence, problem }) => {
    const standing = problem === null ? "can be used" : `cannot be used, ${problem}`;
    return `${name} (${model}) on USB port ${port}${serial === "" ? "" : `, serial ${serial}`}: ${standing}; ${EVIDENCE_TEXT[evidence]}`;
  });
}

async function problemOf(bus: DeckBus, unit: UsbUnit): Promise<string | null> {
  try {
    const { hid } = await bus.open(unit, undefined);
    await hid.close();
    return null;
  } catch (error) {
    if (error instanceof OpenError) return error.message;
    throw error;
  }
}

const KINDS: Readonly<Record<(Model["slots"] | Model["inputs"])[number]["kind"], string>> = {
  key: "key",
  zone: "zone",
  dial: "dial",
  button: "button",
  touch: "touch point",
};

/** The places of a model: `8 keys, 4 zones, 4 dials`. */
export function placesText({ slots, inputs }: Model): string {
  const places = [...slots, ...inputs];
  return Object.entries(KINDS)
    .flatMap(([kind, word]) => {
      const count = places.filter((place) => place.kind === kind).length;
      return count === 0 ? [] : [`${count} ${word}${count === 1 ? "" : "s"}`];
    })
    .join(", ");
}

function modelLine(model: Model): string {
  const { id, name, evidence, note } = model;
  const remark = note === undefined ? "" : `; ${note}`;
  return `${id.padEnd(20)} ${name} (${placesText(model)}): ${EVIDENCE_TEXT[evidence]}${remark}`;
}

function modelJson(model: Model): object {
  const { id, name, evidence, note = null } = model;
  return { id, name, places: placesText(model), evidence, note };
}

/** Ids of the models on the bus; "unknown" for a device that is no deck is left out. */
export async function pluggedModels(bus: DeckBus): Promise<string[] | "no USB"> {
  const units = await unitsOn(bus).catch(() => undefined);
  if (units === undefined) return "no USB";
  return units.flatMap(({ vendor, product }) => modelByUsb(vendor, product)?.id ?? []);
}
