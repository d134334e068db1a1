import type { HealthFacts } from "../../../appliance/box/updater/health.ts";
import { NEXT } from "./card.ts";

const DECK = { id: "mk2-cl1", name: "Desk", connected: true, usb: ["0fd9:0080", "0fd9:00a5"] };

/** A box that is well with the release that is tried. */
export const WELL: HealthFacts = {
  service: { state: "active", result: "success", exitStatus: 0, restarts: 0 },
  collector: NEXT.version,
  control: {
    version: NEXT.version,
    release: NEXT.release,
    store: { opened: true, wrote: true },
    decks: [DECK],
  },
  tls: true,
  dataIsWritable: true,
  settingsAreApplied: true,
  failed: [],
  interfaces: [
    { name: "eth0", hasAddress: true, isUnplugged: false },
    { name: "wlan0", hasAddress: false, isUnplugged: false },
  ],
  usb: { hosts: 2, devices: ["0bda:8153", "0fd9:0080"] },
};

/** The same with the deck out of sight of the service. */
export function withoutDeck(usb: Partial<HealthFacts["usb"]> = {}): HealthFacts {
  return {
    ...WELL,
    control: saying({ decks: [{ ...DECK, connected: false }] }),
    usb: { ...WELL.usb, ...usb },
  };
}

export function saying(
  changed: Partial<NonNullable<HealthFacts["control"]>>,
): HealthFacts["control"] {
  return WELL.control && { ...WELL.control, ...changed };
}
