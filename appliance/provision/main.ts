/** Started once at every boot as root, before the network: see tallydeck-provision.service. */
import { provisionBox } from "./box.ts";

try {
  provisionBox({ root: "/" });
} catch (error) {
  // The box starts all the same, with what it has.
  console.error(`The settings could not be applied: ${(error as Error).message}`);
  process.exitCode = 1;
}
