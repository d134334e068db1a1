import type { Middleware } from "koa";
import type { Clock } from "../../../base/clock.ts";
import { isFromHere } from "../../../base/http/client.ts";
import { type DeckHealth, HEALTH_PATH, type ServiceHealth } from "../../../base/release/health.ts";
import type { Decks } from "../../../deck/decks.ts";
import { modelById } from "../../../deck/usb/models.ts";
import type { Store } from "../../../store/store.ts";
import type { UpdateParts } from "./update.ts";

export interface HealthParts extends UpdateParts {
  version: string;
  clock: Clock;
  decks: Pick<Decks, "list">;
  /** Undefined while the data cannot be used. */
  store?: Pick<Store, "numbers" | "local" | "hasFleet">;
}

/** The time limit of a write, which takes milliseconds. The caller waits for twice this time. */
const WRITE_MS = 5_000;

/** `GET /api/health` for this machine itself; others get 404. */
export function healthRoute(parts: HealthParts): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== HEALTH_PATH || ctx.method !== "GET" || !isFromHere(ctx.req)) return next();
    ctx.set("Cache-Control", "no-store");
    const { version, decks, store, updates } = parts;
    ctx.body = {
      version,
      release: updates?.view()?.running.release ?? null,
      store: {
        opened: store !== undefined,
        wrote: store !== undefined && (await takesWrites(store, parts.clock)),
        isElsewhere: store?.hasFleet === true,
      },
      decks: decks
        .list()
        .filter(({ virtual }) => !virtual)
        .map(healthOf),
    } satisfies ServiceHealth;
  };
}

function healthOf({ id, name, model, connected }: ReturnType<Decks["list"]>[number]): DeckHealth {
  const usb = modelById(model)?.usb ?? [];
  const hex = (number: number) => number.toString(16).padStart(4, "0");
  return {
    id,
    name,
    connected,
    usb: usb.map(({ vendor, product }) => `${hex(vendor)}:${hex(product)}`),
  };
}

function takesWrites(
  { local, numbers }: Pick<Store, "local" | "numbers">,
  clock: Clock,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const cancel = clock.after(WRITE_MS, () => resolve(false));
  local.write("touch", clock.now()).then(
    () => resolve(numbers.ready),
    () => resolve(false),
  );
  return promise.finally(cancel);
}
