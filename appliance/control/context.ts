import type { Clock } from "../base/clock.ts";
import type { Client } from "../base/http/client.ts";
import type { Log } from "../base/log.ts";
import type { Random } from "../base/random.ts";
import type { Config } from "../config/config.ts";
import type { Store } from "../store/store.ts";
import type { Routes } from "./frame.ts";

/** All that a part of the owner's side starts with; each takes what it needs. */
export interface OwnerContext {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: Random;
  readonly client: Client;
  readonly store: Store;
  readonly routes: Routes;
  /** Closes the parts in reverse. */
  readonly ends: AsyncDisposableStack;
}
