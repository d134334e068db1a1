import type { UpdateChange } from "../../../appliance/control/wire.ts";
import { ask } from "../api.ts";

/** Sends a request about releases. The answer also comes as an event. */
export async function askUpdate(change: UpdateChange): Promise<void> {
  await ask("POST", "api/update", change);
}
