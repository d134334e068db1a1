/** Started as root once at every start of the machine: see tallydeck-update-start.service. */
import { thisBox } from "./box.ts";
import { startUp } from "./starting.ts";

await startUp(thisBox());
