import { setImmediate } from "node:timers/promises";
import type { DeckDriver } from "./driver.ts";

/**
 * Drives a deck that exists only in the Web UI. It takes its pictures as a panel would; the Web UI
 * shows the same ones, as it does for every deck.
 */
export function openVirtual(): DeckDriver {
  return {
    serial: "",
    firmware: async () => "",
    heartbeat: undefined,
    repaintMs: undefined,
    initialise: async () => {},
    setBrightness: async () => {},
    async paint(next) {
      // Drawing a whole deck takes a while; a wire would leave room for other work in between.
      while (next() !== undefined) await setImmediate();
    },
    farewell: async () => {},
  };
}
