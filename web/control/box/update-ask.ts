import type { UpdateChange } from "../../../appliance/control/wire.ts";
import { ask } from "../api.ts";

/** Asks for something about the releases; the answer comes as an event, too. */
export async function askUpdate(change: UpdateChange): Promise<void> {
  await ask("POST", "api/update", change);
}
