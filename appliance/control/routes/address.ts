import type { Handler } from "../route.ts";

/** URLs of the Web UI on the own network; null where there is none. */
export interface Address {
  readonly number: string | null;
  /** By the name that is in force now, which is not the box's own while another machine has that. */
  readonly name: string | null;
}

interface Parts {
  address: () => Address;
}

/** `GET /api/address`: `{number, name}`. */
export const tellAddress: Handler<Parts> = (ctx, { address }) => {
  ctx.body = address();
};
