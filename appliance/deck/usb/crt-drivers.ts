import { CRT, CrtPanel } from "./crt.ts";
import { hearInputs } from "./crt-input.ts";
import type { DeckDriver, DriverContext } from "./driver.ts";
import type { Akp05Model, MiraboxModel } from "./model.ts";

/** Drives a unit of the Mirabox CRT family. */
export function openMirabox(context: DriverContext<MiraboxModel>): DeckDriver {
  const { wire } = context.model;
  const panel = new CrtPanel(context);
  hearInputs(context);

  return {
    serial: context.usbSerial,
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
