import { HttpError } from "../../../base/http/errors.ts";
import { FLAG, TEXT } from "../../../base/input/schema.ts";
import { invalidField } from "../../../base/refusal.ts";
import { isNetworkName, isNetworkPassword, PASSWORD_RULE } from "../../../box/ipc/wifi-rules.ts";
import { wifiTroubleText } from "../../../box/ipc/wifi-text.ts";
import type { WifiSwitch } from "../../../box/wifi.ts";
import { bodyWith } from "../../input.ts";
import type { ControlContext, RoutesOf } from "../../route.ts";
import type { WifiAnswer } from "../../wire.ts";
import { expectTold } from "./root.ts";

interface WifiParts {
  /** Undefined where the system is not ours. */
  wifi: Pick<WifiSwitch, "standing" | "join"> | undefined;
}

const readWish = bodyWith({
  name: { ...TEXT, description: "must be the name of a network" },
  password: { ...TEXT, description: "must be its password, or empty for an open network" },
  country: {
    ...TEXT,
    pattern: "^(?:[A-Z]{2})?$",
    description: "must be the two letters of a country, or empty",
  },
  hidden: FLAG,
});

export const WIFI_ROUTES: RoutesOf<WifiParts> = {
  "GET /api/wifi": viewOf,

  /** Another network is joined soon, and the present one again where that fails → as `GET` */
  "POST /api/wifi": async (ctx, parts): Promise<WifiAnswer> => {
    const wish = await readWish(ctx);
    if (!isNetworkName(wish.name))
      throw invalidField("name", "must have 1 to 32 bytes, and no invisible signs.");
    if (wish.password !== "" && !isNetworkPassword(wish.password))
      throw invalidField("password", `must be ${PASSWORD_RULE}.`);
    if (parts.wifi?.standing() === undefined)
      throw new HttpError(
        409,
        "no_radio",
        "This machine has no Wi-Fi that Tallydeck sets up. Use the machine's own means, or a cable.",
      );
    const instead =
      "Restart it and try again, or write the network into tallydeck.env on its card.";
    await expectTold(parts.wifi.join(wish), "wifi", instead);
    return viewOf(ctx, parts);
  },
};

/** Never a password. */
function viewOf(ctx: ControlContext, { wifi }: WifiParts): WifiAnswer {
  ctx.set("Cache-Control", "no-store");
  const state = wifi?.standing();
  const trouble = state?.trouble ?? null;
  return {
    possible: state !== undefined,
    joining: state?.phase === "changing" ? state.network : null,
    trouble: trouble && wifiTroubleText(trouble),
  };
}
