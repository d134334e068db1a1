/** Runs as root at every boot, before the network: see tallydeck-provision.service. */
import { askProgram } from "../system/program.ts";
import { keptSettings, provisionBox } from "./box.ts";
import { jumpersOn } from "./jumpers/pins.ts";
import { noteMachine } from "./machine.ts";

try {
  provisionBox({ root: "/", jumpersOn: () => jumpersOn("/", askProgram) });
  noteMachine("/", keptSettings("/"));
} catch (error) {
  // The box still starts, with its earlier settings.
  console.error(`The settings could not be applied: ${(error as Error).message}`);
  process.exitCode = 1;
}
