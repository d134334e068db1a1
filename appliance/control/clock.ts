import { jsonBody, shape } from "./input.ts";
import type { Handler } from "./route.ts";

interface Parts {
  believe: (now: number) => void;
}

const readTime = shape<{ now: number }>({
  properties: {
    now: {
      type: "integer",
      minimum: Date.UTC(2026, 0, 1),
      maximum: Date.UTC(2100, 0, 1),
      description: "must be the time in epoch milliseconds",
    },
  },
  required: ["now"],
});

/** `POST /api/clock` `{now}`: the owner's browser tells the time to a box whose clock is not set. */
export const tellTime: Handler<Parts> = async (ctx, { believe }) => {
  believe(readTime(await jsonBody(ctx)).now);
  ctx.status = 204;
};
