import { CRT, CrtPanel, readInput } from "./crt.ts";
import type { DeckDriver, DriverContext } from "./driver.ts";
import type { Akp05Model } from "./models.ts";

/** Drives an AJAZZ AKP05 or AKP05E: ten keys and a touch strip of four windows. */
export function openAkp05(context: DriverContext<Akp05Model>): DeckDriver {
  const { slots, wire } = context.model;
  const panel = new CrtPanel(context);
  const zones = new Set(slots.filter((slot) => slot.kind === "zone").map((s) => s.slot));

  context.hid.on("data", (report) => {
    const input = readInput(report);
    const slot = input && panel.slotOfCode(input.code);
    if (input === undefined || slot === undefined) return;
    // A touch is one report, not a pair.
    if (zones.has(slot)) context.onTap(slot);
    else context.onKey(slot, input.down);
  });

  return {
    serial: context.usbSerial,
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
    // In silence: the firmware can wedge on a goodbye.
    farewell: async () => {},
  };
}
