import { dayOf, formatDay } from "../../../base/calendar.ts";
import { jsonBody } from "../../../base/http/body.ts";
import { HttpError } from "../../../base/http/errors.ts";
import { type ImplausibleTime, PLAUSIBLE_SINCE } from "../../../base/system/system-clock.ts";
import { shape, TRUTH } from "../../input.ts";
import type { Handler } from "../../route.ts";

interface ClockParts {
  believe: (now: number, confirmed: boolean) => ImplausibleTime | undefined;
}

const readTime = shape<{ now: number; confirm?: boolean }>({
  properties: {
    now: {
      type: "integer",
      minimum: PLAUSIBLE_SINCE,
      maximum: Date.UTC(2100, 0, 1),
      description: "must be the time in epoch milliseconds",
    },
    confirm: TRUTH,
  },
  required: ["now"],
});

/**
 * `POST /api/clock` `{now, confirm?}`: sets the time of a box without one by the owner's browser; `confirm` means that
 * the owner has checked it.
 */
export const tellTime: Handler<ClockParts> = async (ctx, { believe }) => {
  const { now, confirm = false } = readTime(await jsonBody(ctx));
  const refused = believe(now, confirm);
  if (refused !== undefined) throw farAhead(refused);
  ctx.status = 204;
};

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
