import { messageOf } from "../base/message-of.ts";
import { createDeckBus, type DeckBus, OpenError, type UsbUnit } from "../deck/usb/hid.ts";
import type { Model } from "../deck/usb/model.ts";
import { EVIDENCE_TEXT, MODELS, modelByUsb } from "../deck/usb/models.ts";
import { type Command, CommandFailed, parseCommandLine, UsageError } from "./command.ts";

const help = `tallydeck devices: the decks that are plugged into this machine, and whether they can be used.

  tallydeck devices             lists them
  tallydeck devices --models    lists every model that is known, by its id for --virtual-deck`;

export const devices: Command = {
  help,
  async run(args, terminal) {
    const { values, positionals } = parseCommandLine(args, { models: { type: "boolean" } });
    if (positionals.length > 0)
      throw new UsageError(`\`tallydeck devices\` takes no ${positionals[0]}.`);
    const lines = values.models ? MODELS.map(modelLine) : await describeDevices(createDeckBus());
    for (const line of lines) terminal.out(line);
  },
};

/** A line for each deck on the bus; each is opened for a moment and nothing is sent to it. Throws CommandFailed. */
export async function describeDevices(bus: DeckBus): Promise<string[]> {
  const units: UsbUnit[] = [];
  try {
    const stop = await bus.watch({ attached: (unit) => units.push(unit), detached: () => {} });
    stop();
  } catch (error) {
    const reason = messageOf(error);
    throw new CommandFailed(`This machine's USB cannot be read: ${reason}`);
  }
  const lines: string[] = [];
  for (const unit of units) {
    const model = modelByUsb(unit.vendor, unit.product);
    if (model !== undefined) lines.push(await deviceLine(bus, unit, model));
  }
  return lines.length > 0
    ? lines
    : ["No supported deck is plugged in. `tallydeck devices --models` lists what is supported."];
}

async function deviceLine(bus: DeckBus, unit: UsbUnit, model: Model): Promise<string> {
  const serial = unit.serial === "" ? "" : `, serial ${unit.serial}`;
  return `${model.name} (${model.id}) on USB port ${unit.port}${serial}: ${await standing(bus, unit)}; ${EVIDENCE_TEXT[model.evidence]}`;
}

async function standing(bus: DeckBus, unit: UsbUnit): Promise<string> {
  try {
    const { hid } = await bus.open(unit, undefined);
    await hid.close();
    return "can be used";
  } catch (error) {
    if (error instanceof OpenError) return `cannot be used, ${error.message}`;
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

/** Ids of the models on the bus; "unknown" for a device that is no deck is left out. */
export async function pluggedModels(bus: DeckBus): Promise<string[] | "no USB"> {
  const models: string[] = [];
  try {
    const stop = await bus.watch({
      attached: ({ vendor, product }) => {
        const model = modelByUsb(vendor, product);
        if (model !== undefined) models.push(model.id);
      },
      detached: () => {},
    });
    stop();
  } catch {
    return "no USB";
  }
  return models;
}
