/** Runs as root at every boot, before the network: see tallydeck-provision.service. */
import { provisionBox } from "./box.ts";

try {
  provisionBox({ root: "/" });
} catch (error) {
  // The box still starts, with its earlier settings.
  console.error(`The settings could not be applied: ${(error as Error).message}`);
  process.exitCode = 1;
}
