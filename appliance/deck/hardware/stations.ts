import type { DriverInput, Model, ModelInput, ModelSlot } from "../usb/model.ts";

/** A thing that a person is asked to do with a deck, and the driver's word for it. */
export interface Station {
  /** The name of its step: `press k3`. */
  readonly name: string;
  /** The request to the person. */
  readonly asks: string;
  /** Whether a word is the awaited one; `begun` for its first half. */
  readonly isIt: (heard: DriverInput) => boolean | "begun";
}

/** The number that a slot shows in a tour. */
export function numberOf(model: Model, { slot }: ModelSlot): number {
  return 1 + model.slots.findIndex((known) => known.slot === slot);
}

/** The request for a slot; undefined where it is only shown. */
export function slotStation(model: Model, slot: ModelSlot): Station | undefined {
  if (!slot.canPress) return undefined;
  const number = numberOf(model, slot);
  return slot.kind === "key"
    ? pressed(slot.slot, `Press the key that shows ${number}.`, slot)
    : { ...pressed(slot.slot, `Touch ${number} on the strip.`, slot), name: `touch ${slot.slot}` };
}

/** The requests for dials, buttons, touch points and the strip. */
export function inputStations({ inputs, hasStrip }: Model): Station[] {
  return [
    ...inputs.flatMap(inputStation),
    ...(hasStrip ? [swiped("left", "right to left"), swiped("right", "left to right")] : []),
  ];
}

const NAMES: Readonly<Record<ModelInput["kind"], string>> = {
  dial: "dial",
  button: "button",
  touch: "touch point",
};

function inputStation(input: ModelInput): Station[] {
  const which = `${NAMES[input.kind]} ${Number(input.input.slice(1)) + 1} from the left`;
  const press = pressed(input.input, `Press ${which}.`, input);
  if (input.kind !== "dial") return [press];
  const turn: Station = {
    name: `turn ${input.input}`,
    asks: `Turn ${which} clockwise.`,
    isIt: ({ what, place, by = 0 }) => what === "turn" && place === input.input && by > 0,
  };
  return [turn, press];
}

function pressed(place: string, asks: string, { hasRelease }: { hasRelease: boolean }): Station {
  let isDown = false;
  return {
    name: `press ${place}`,
    asks,
    isIt(heard) {
      if (heard.place !== place) return false;
      if (!hasRelease) return heard.what === "tap" || heard.what === "down";
      if (heard.what === "down") isDown = true;
      // Some firmware tells a touch by one word.
      return heard.what === "tap" || (heard.what === "up" && isDown) || (isDown && "begun");
    },
  };
}

function swiped(direction: string, way: string): Station {
  return {
    name: `swipe ${direction}`,
    asks: `Swipe over the strip from ${way}.`,
    isIt: ({ what, place }) => what === "swipe" && place === direction,
  };
}

/** A word of a driver, for people: `key 5 pressed`. */
export function heardText({ what, place, by = 0 }: DriverInput): string {
  const turned = by > 0 ? "clockwise" : "the other way";
  return {
    down: `a press of ${place}`,
    up: `the end of a press of ${place}`,
    tap: `a touch of ${place}`,
    turn: `a turn of ${place} ${turned}`,
    swipe: `a swipe to the ${place}`,
  }[what];
}
