/** Started as root once at every start of the machine: see tallydeck-update-start.service. */
import { thisBox } from "./box.ts";
import { reportOnCard } from "./card-report.ts";
import { startUp } from "./starting.ts";

const box = thisBox();
await startUp(box);
await reportOnCard(box);
