/** Started as root when the service asks for something: see tallydeck-update.service. */
import { answer } from "./asks.ts";
import { thisBox } from "./box.ts";

await answer(thisBox());
