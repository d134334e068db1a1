import { dayOf, formatDay } from "../../../base/calendar.ts";
import type { Clock } from "../../../base/clock.ts";
import { type DayZone, zoneAhead } from "../../../base/day-zone.ts";
import { HttpError } from "../../../base/http/errors.ts";
import { FLAG, integerFrom, oneAmong } from "../../../base/input/schema.ts";
import { type ImplausibleTime, PLAUSIBLE_SINCE } from "../../../base/system/system-clock.ts";
import type { Warning } from "../../../base/text/warnings.ts";
import type { keptLogIn } from "../../../box/kept-log.ts";
import type { Store } from "../../../store/store.ts";
import { bodyWith } from "../../input.ts";
import type { RoutesOf } from "../../route.ts";
import type { BoxAnswer, DiskAnswer, PowerAction, Vitals } from "../../wire.ts";
import { expectTold, notABox } from "./root.ts";

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
  /** The log before the last failure. */
  keptLog: ReturnType<typeof keptLogIn>;
  /** The figures of the disk; undefined where they are not known. */
  disk: () => DiskAnswer | undefined;
  /** Restarts the machine or shuts it down; missing where that is not ours to do. */
  power?: (action: PowerAction) => Promise<void>;
  /** Takes a time over, or says why not. */
  believe: (now: number, confirmed: boolean) => ImplausibleTime | undefined;
}

const readSwitch = bodyWith({
  action: {
    ...oneAmong<PowerAction>("restart", "shutdown"),
    description: 'must be "restart" or "shutdown"',
  },
});

const readTime = bodyWith(
  {
    now: {
      ...integerFrom(PLAUSIBLE_SINCE, Date.UTC(2100, 0, 1)),
      description: "must be the time in epoch milliseconds",
    },
  },
  { confirm: FLAG },
);

export const BOX_ROUTES: RoutesOf<BoxParts> = {
  /** Facts about the box and its state, as far as they are known. */
  "GET /api/box": async (ctx, parts): Promise<BoxAnswer> => {
    const { clock, version, made, store, timeZone, addresses, power } = parts;
    const { numbers } = store;
    const [vitals, space] = await Promise.all([
      parts.vitals(),
      store.local.space().catch(() => undefined),
    ]);
    const device = parts.disk();
    ctx.set("Cache-Control", "no-store");
    return {
      ...vitals,
      version,
      made,
      time: clock.now(),
      clockSet: clock.sure,
      timeZone: timeZone(),
      ...(!numbers.asksZone && { days: daysAt(numbers.zone, numbers.clock.now()) }),
      addresses: addresses(),
      ...(space && { disk: { freeBytes: space.free, totalBytes: space.total } }),
      ...(device && { device }),
      numbersElsewhere: store.hasFleet,
      logKeptAt: parts.keptLog.keptAt(),
      power: power !== undefined,
      warnings: parts.warnings(),
    };
  },

  /** `{action}` → 204: the box restarts or shuts down. */
  "POST /api/power": async (ctx, { power }) => {
    const { action } = await readSwitch(ctx);
    if (power === undefined)
      throw notABox("Restart the machine, or shut it down, by its own means.");
    const instead =
      "Try again. If that does not help, pull the plug: nothing that was counted is lost.";
    await expectTold(power(action), "power", instead);
  },

  /** The end of the log before the last failure, as a text file. */
  "GET /api/log": (ctx, { keptLog }) => {
    const log = keptLog.read();
    if (log === undefined)
      throw new HttpError(
        404,
        "no_log",
        "No log is kept: nothing has failed since the box was set up.",
      );
    ctx.set("Cache-Control", "no-store");
    ctx.set("Content-Disposition", 'attachment; filename="tallydeck-log.txt"');
    ctx.type = "text/plain; charset=utf-8";
    return Buffer.from(log);
  },

  /** `{now, confirm?}`: sets the time of a box without one by the owner's browser; `confirm`: the owner has checked it. */
  "POST /api/clock": async (ctx, { believe }) => {
    const { now, confirm = false } = await readTime(ctx);
    const refused = believe(now, confirm);
    if (refused !== undefined) throw farAhead(refused);
  },
};

function daysAt(zone: DayZone, now: number): NonNullable<BoxAnswer["days"]> {
  return { zone: zone.nameAt(now), ahead: zoneAhead(zone.setting, now) ?? null };
}

function farAhead({ time, newest }: ImplausibleTime): HttpError {
  return new HttpError(
    409,
    "clock_far_ahead",
    `This device says that today is ${dateOf(time)}, more than 400 days after the newest date this machine knows (${dateOf(newest)}). Confirm the date if it is right; else set the clock of this device.`,
  );
}

function dateOf(epochMs: number): string {
  return formatDay(dayOf(epochMs));
}
