import type { RootRequests } from "../base/system/root-requests.ts";
import type { PowerAction } from "./view.ts";

/** Requests a restart or shutdown of root, which watches for a request of that name. */
export function powerSwitch(root: RootRequests): (action: PowerAction) => Promise<void> {
  return (action) => root.ask(action);
}
