import { Refusal } from "../../../base/refusal.ts";
import { PHONE_LINK_MS, type PhoneLinks } from "../../../links/public/phone-links.ts";
import type { PublicAddress } from "../../../links/public/public-address.ts";
import { PUBLIC_FIELDS } from "../../../links/public/settings.ts";
import type { OwnerContext } from "../../context.ts";
import { bodyWith } from "../../input.ts";
import type { DoorSource } from "../../public-door.ts";
import type { RoutesOf } from "../../route.ts";
import type { PhoneLinkAnswer, PublicAnswer } from "../../wire.ts";
import { declared } from "../sites/sites.ts";

export interface PublicParts {
  address: Pick<
    PublicAddress,
    "changed" | "settings" | "isDeclared" | "port" | "terms" | "view" | "change" | "test"
  >;
  /** Makes a link for one use on a phone: the end of its path, and its expiry (epoch ms). */
  makeLink: () => { nonce: string; until: number };
  /** The QR code of a text; `true` is dark, row by row. */
  code: (text: string) => { size: number; modules: readonly boolean[] };
}

const readChange = bodyWith({}, PUBLIC_FIELDS);

const ROUTES: RoutesOf<PublicParts> = {
  "GET /api/public": (_, { address }) => publicView(address),

  /** Missing fields stay as they are, but for the token with another provider, which must not get the old one → as `GET` */
  "PUT /api/public": async (ctx, { address }): Promise<PublicAnswer> => {
    const change = await readChange(ctx);
    if (address.isDeclared) throw declared("PUBLIC_NAME");
    const { settings } = address;
    const goesElsewhere = change.ddns !== undefined && change.ddns !== settings.ddns;
    await address.change({ ...settings, ...(goesElsewhere && { ddnsToken: "" }), ...change });
    return publicView(address);
  },

  /** Starts a test of whether the CA reaches the box, and does not wait for it → as `GET` */
  "POST /api/public/test": async (_, { address }): Promise<PublicAnswer> => {
    await address.test();
    return publicView(address);
  },

  "POST /api/public/phone": (_, parts): PhoneLinkAnswer => {
    const { url: base } = parts.address.view();
    if (base === null)
      throw new Refusal(
        "no_public_address",
        "There is no public address yet: give it a name first.",
      );
    const { nonce, until } = parts.makeLink();
    const url = `${base}/help/reached/${nonce}`;
    return { url, until, code: codeRows(parts.code(url)) };
  },
};

/** The public address as the owner is shown it: never the provider's token. */
export function publicView(address: PublicParts["address"]): PublicAnswer {
  const { ddnsToken, ...shown } = address.settings;
  return {
    ...shown,
    hasToken: ddnsToken !== "",
    declared: address.isDeclared,
    port: address.port === 0 ? null : address.port,
    terms: address.terms ?? null,
    view: address.view(),
  };
}

/** A QR code for an answer, row by row: `1` is dark. */
export function codeRows({ size, modules }: ReturnType<PublicParts["code"]>): string[] {
  const digits = modules.map((isDark) => (isDark ? "1" : "0")).join("");
  return Array.from({ length: size }, (_, row) => digits.slice(row * size, (row + 1) * size));
}

/** The public address, for the rest of the service. */
export type WayIn = PublicParts["address"] & DoorSource & Pick<PublicAddress, "warnings">;

/** Shows the public address to the owner, and lets a phone try it by one of `links`. */
export function showWayIn({
  routes,
  clock,
  address,
  links,
  code,
}: Pick<OwnerContext, "routes" | "clock"> &
  Pick<PublicParts, "code"> & {
    address: WayIn;
    links: PhoneLinks;
  }): void {
  const makeLink = () => ({ nonce: links.make(), until: clock.now() + PHONE_LINK_MS });
  routes.owner({ address, makeLink, code }, ROUTES);
}
