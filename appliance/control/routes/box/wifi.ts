import { jsonBody } from "../../../base/http/body.ts";
import { HttpError } from "../../../base/http/errors.ts";
import { invalidField } from "../../../base/refusal.ts";
import { isNetworkName, isNetworkPassword, PASSWORD_RULE } from "../../../box/ipc/wifi-rules.ts";
import type { WifiRequest, WifiState } from "../../../box/ipc/wifi-state.ts";
import { wifiTroubleText } from "../../../box/ipc/wifi-text.ts";
import type { RouteOf } from "../../frame.ts";
import { shape, TRUTH } from "../../input.ts";
import type { Handler } from "../../route.ts";
import type { WifiAnswer } from "../../wire.ts";

interface WifiParts {
  /** Missing where the system is not ours. */
  wifi?: {
    /** Undefined where there is no radio, or root has told nothing yet. */
    standing(): WifiState | undefined;
    /** Requests another network. */
    join(wish: WifiRequest): Promise<void>;
  };
}

const readWish = shape<{ name: string; password: string; country: string; hidden: boolean }>({
  properties: {
    name: { type: "string", description: "must be the name of a network" },
    password: { type: "string", description: "must be its password, or empty for an open network" },
    country: {
      type: "string",
      pattern: "^(?:[A-Z]{2})?$",
      description: "must be the two letters of a country, or empty",
    },
    hidden: TRUTH,
  },
  required: ["name", "password", "country", "hidden"],
});

/** `GET /api/wifi`: never a password. */
const showWifi: Handler<WifiParts, WifiAnswer> = (ctx, { wifi }) => {
  ctx.set("Cache-Control", "no-store");
  const state = wifi?.standing();
  const trouble = state?.trouble ?? null;
  ctx.body = {
    possible: state !== undefined,
    joining: state?.phase === "changing" ? state.network : null,
    trouble: trouble && wifiTroubleText(trouble),
  };
};

/** `POST /api/wifi`: another network is joined soon, and the present one again where that fails → as `GET` */
const joinWifi: Handler<WifiParts, WifiAnswer> = async (ctx, parts) => {
  const wish = readWish(await jsonBody(ctx));
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
  try {
    await parts.wifi.join(wish);
  } catch {
    throw new HttpError(
      503,
      "wifi_failed",
      "The box could not be told. Restart it and try again, or write the network into tallydeck.env on its card.",
    );
  }
  await showWifi(ctx, parts);
};

export const wifiRoutes: readonly RouteOf<WifiParts>[] = [
  ["GET", "/api/wifi", showWifi],
  ["POST", "/api/wifi", joinWifi],
];
