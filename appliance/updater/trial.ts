/** Started as root while a release is being tried: see tallydeck-trial.service. */
import { setTimeout } from "node:timers/promises";
import { thisBox } from "./box.ts";
import { look, thisMachine } from "./facts.ts";
import { tryOut } from "./trying.ts";

const machine = thisMachine();
await tryOut(thisBox(), {
  look: () => look(machine),
  uptime: () => Number(process.hrtime.bigint()) / 1e6,
  sleep: (ms) => setTimeout(ms),
});
