import { CRT, CrtPanel } from "./crt.ts";
import { hearInputs } from "./crt-input.ts";
import type { DeckDriver, DriverContext } from "./driver.ts";
import type { MiraboxModel } from "./model.ts";

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
