import type { Clock } from "../../../base/clock.ts";
import { type DayZone, zoneAhead } from "../../../base/day-zone.ts";
import { jsonBody } from "../../../base/http/body.ts";
import { HttpError } from "../../../base/http/errors.ts";
import type { Warning } from "../../../base/text/warnings.ts";
import type { Store } from "../../../store/store.ts";
import type { RouteOf } from "../../frame.ts";
import { shape } from "../../input.ts";
import type { Handler } from "../../route.ts";
import type { BoxAnswer, DiskAnswer, PowerAction, Vitals } from "../../wire.ts";

interface BoxParts {
  clock: Pick<Clock, "now" | "sure">;
  version: string;
  /** The time of the release, in epoch ms. */
  made: number;
  store: Pick<Store, "local" | "hasFleet" | "numbers">;
  /** The zone in which the box's clocks show the time. */
  timeZone: () => string;
  addresses: () => BoxAnswer["addresses"];
  /** The problems that the box has now. */
  warnings: () => readonly Warning[];
  vitals: () => Promise<Vitals>;
  /** The time of the last failure, in epoch ms; null where no log is kept of one. */
  logKeptAt: () => number | null;
  /** The figures of the disk; undefined where they are not known. */
  disk: () => DiskAnswer | undefined;
  /** Restarts the machine or shuts it down; missing where that is not ours to do. */
  power?: (action: PowerAction) => Promise<void>;
}

const readSwitch = shape<{ action: PowerAction }>({
  properties: {
    action: { enum: ["restart", "shutdown"], description: 'must be "restart" or "shutdown"' },
  },
  required: ["action"],
});

/** `GET /api/box`: facts about the box and its state, as far as they are known. */
const showBox: Handler<BoxParts, BoxAnswer> = async (ctx, parts) => {
  const { clock, version, made, store, timeZone, addresses, power } = parts;
  const [vitals, space] = await Promise.all([
    parts.vitals(),
    store.local.space().catch(() => undefined),
  ]);
  const device = parts.disk();
  ctx.set("Cache-Control", "no-store");
  ctx.body = {
    ...vitals,
    version,
    made,
    time: clock.now(),
    clockSet: clock.sure,
    timeZone: timeZone(),
    ...(!store.numbers.asksZone && { days: daysAt(store.numbers.zone, clock.now()) }),
    addresses: addresses(),
    ...(space && { disk: { freeBytes: space.free, totalBytes: space.total } }),
    ...(device && { device }),
    numbersElsewhere: store.hasFleet,
    logKeptAt: parts.logKeptAt(),
    power: power !== undefined,
    warnings: parts.warnings(),
  };
};

function daysAt(zone: DayZone, now: number): NonNullable<BoxAnswer["days"]> {
  return { zone: zone.nameAt(now), ahead: zoneAhead(zone.setting, now) ?? null };
}

/** `POST /api/power` `{action}` → 204: the box restarts or shuts down. */
const switchPower: Handler<BoxParts> = async (ctx, { power }) => {
  const { action } = readSwitch(await jsonBody(ctx));
  if (power === undefined)
    throw new HttpError(
      409,
      "not_a_box",
      "Tallydeck is a program on this machine, not the whole of it. Restart the machine, or shut it down, by its own means.",
    );
  try {
    await power(action);
  } catch {
    throw new HttpError(
      503,
      "power_failed",
      "The box could not be told. Try again. If that does not help, pull the plug: nothing that was counted is lost.",
    );
  }
  ctx.status = 204;
};

export const boxRoutes: readonly RouteOf<BoxParts>[] = [
  ["GET", "/api/box", showBox],
  ["POST", "/api/power", switchPower],
];
