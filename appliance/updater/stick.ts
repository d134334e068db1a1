/** Started as root when a USB stick is put in, with its name below /dev: see tallydeck-stick@.service. */
import { answerStick } from "./asks.ts";
import { thisBox } from "./box.ts";

await answerStick(thisBox(), process.argv[2] ?? "");
