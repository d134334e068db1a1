/** Started as root each day: see tallydeck-slot-check.service. */
import { thisBox } from "./box.ts";
import { checkSlot } from "./slot-check.ts";

await checkSlot(thisBox());
