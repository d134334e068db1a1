/** Started as root before a box is armed: see tallydeck-facts.service. */
import { noteFacts, thisMachine } from "./facts.ts";

await noteFacts(thisMachine());
