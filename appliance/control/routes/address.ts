import type { Handler } from "../route.ts";
import type { AddressAnswer } from "../wire.ts";

interface Parts {
  address: () => AddressAnswer;
}

/** `GET /api/address`: `{number, name}`. */
export const tellAddress: Handler<Parts, AddressAnswer> = (ctx, { address }) => {
  ctx.body = address();
};
