import { formatDay } from "../../../base/calendar.ts";
import { jsonBody } from "../../../base/http/body.ts";
import { keptConditions } from "../../../base/input/conditions.ts";
import { exactly, listOf, TEXT } from "../../../base/input/schema.ts";
import { shape } from "../../../base/input/shape.ts";
import { siteIdOf } from "../../../base/names.ts";
import { invalidField, Refusal } from "../../../base/refusal.ts";
import { makeShareToken } from "../../../base/system/secrets.ts";
import { storable } from "../../../base/text/storable.ts";
import { MAX_SHARE_NAME } from "../../../base/tokens.ts";
import {
  MAX_SHARES,
  type Numbers,
  SHARE_USES,
  type ShareOutcome,
  settingOfSite,
  sharesOf,
} from "../../../store/store.ts";
import type { RoutesOf } from "../../route.ts";
import type { NewShare, SharesAnswer } from "../../wire.ts";
import { expectDone, type SitesParts, siteOf } from "./sites.ts";

const ID_LENGTH = 8;

const readShare = shape(
  exactly(
    { name: TEXT },
    {
      where: {
        ...listOf({ ...TEXT, description: "must be a text like path:is:/about" }),
        description: "must be a list of conditions like path:is:/about",
      },
    },
  ),
);

export const SHARE_ROUTES: RoutesOf<Pick<SitesParts, "numbers">> = {
  "GET /api/sites/:id/shares": async (ctx, { numbers }): Promise<SharesAnswer> => {
    const site = siteOf(ctx, numbers);
    const asker = { lane: "owner", gone: () => ctx.socket.destroyed } as const;
    const uses = (await settingOfSite(numbers, SHARE_USES, site.key, asker)) ?? {};
    return {
      shares: sharesOf(site).map(({ id, name, where }) => {
        const day = uses[id];
        return { id, name, where, lastUsed: day === undefined ? null : formatDay(day) };
      }),
    };
  },

  /** `{name, where?}` → 201 with the token of one more link, shown only here. */
  "POST /api/sites/:id/shares": async (ctx, { numbers }): Promise<NewShare> => {
    const site = siteIdOf(ctx.params.id);
    const { name: given, where: texts = [] } = readShare(await jsonBody(ctx));
    const name = storable(given).trim();
    if (name === "" || [...name].length > MAX_SHARE_NAME)
      throw invalidField("name", `must have 1 to ${MAX_SHARE_NAME} characters.`);
    const where = keptConditions(texts, (sentence) => invalidField("where", sentence));
    const { token, hash } = makeShareToken();
    const id = Buffer.from(hash).toString("hex").slice(0, ID_LENGTH);
    const share = { id, name, hash, where };
    expectChanged(await numbers.write("shareSite", { id: site, share }), site, numbers);
    ctx.status = 201;
    return { id, token };
  },

  /** The link opens nothing any more. */
  "DELETE /api/sites/:id/shares/:share": async (ctx, { numbers }) => {
    const id = siteIdOf(ctx.params.id);
    const { share } = ctx.params;
    expectChanged(await numbers.write("unshareSite", { id, share }), id, numbers);
  },
};

/** @throws {HttpError | Refusal} unless it is done */
function expectChanged(outcome: ShareOutcome, id: string, numbers: Numbers): void {
  if (outcome === "too_many_shares")
    throw new Refusal(
      "share_limit",
      `${id} has ${MAX_SHARES} links already. Take back one that is no longer used.`,
    );
  if (outcome === "no_such_share")
    throw new Refusal("not_found", `There is no such link to ${id}. List them to see all.`);
  expectDone(outcome, id, numbers);
}
