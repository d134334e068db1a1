import type { Handler } from "../route.ts";
import type { AddressAnswer } from "../wire.ts";

export interface AddressParts {
  address: () => AddressAnswer;
}

/** `GET /api/address`: `{number, name}`. */
export const tellAddress: Handler<AddressParts, AddressAnswer> = (ctx, { address }) => {
  ctx.body = address();
};
