import { rmSync } from "node:fs";
import { join } from "node:path";
import { fieldsIn } from "../../base/input/json.ts";
import { isThere, namesIn, shortTextOf } from "../../base/system/files.ts";
import { isNetworkName, isNetworkPassword, keptPassword } from "../ipc/wifi-rules.ts";
import { ASKED_WIFI, INSISTED_WIFI } from "../ipc/wifi-state.ts";
import { COUNTRIES } from "../provision/settings.ts";
import type { JoinRequest } from "./radio.ts";

/** The most bytes of a request. */
const MOST_BYTES = 4_096;

export interface Asked {
  readonly begins: boolean;
  /** Whether the card or a jumper asked at this start. */
  readonly insists: boolean;
  readonly change: JoinRequest | undefined;
  /** Whether a deck shows pictures. */
  readonly hasDeck: boolean;
}

/**
 * Takes the requests out of root's folder, and out of the one in it that the service may write to. That is not trusted: a
 * request is checked anew.
 */
export function takeAsked(root: string): Asked {
  const folder = join(root, "asked");
  const insisted = join(root, INSISTED_WIFI);
  const insists = isThere(insisted);
  if (insists) rmSync(insisted, { force: true });
  const names = namesIn(folder);
  const change = wishOf(fieldsIn(shortTextOf(join(folder, ASKED_WIFI.join), MOST_BYTES)));
  for (const name of [ASKED_WIFI.begin, ASKED_WIFI.join, ASKED_WIFI.look])
    if (names.includes(name)) rmSync(join(folder, name), { force: true, recursive: true });
  return {
    begins: names.includes(ASKED_WIFI.begin),
    insists,
    change,
    hasDeck: names.includes(ASKED_WIFI.shown),
  };
}

function wishOf(wish: Record<string, unknown>): JoinRequest | undefined {
  const { name, password, country, hidden } = wish;
  if (typeof name !== "string" || typeof password !== "string") return undefined;
  if (!isNetworkName(name) || (password !== "" && !isNetworkPassword(password))) return undefined;
  return {
    ssid: Buffer.from(name).toString("hex"),
    password: keptPassword(password),
    country: typeof country === "string" && COUNTRIES.has(country) ? country : "",
    isHidden: hidden === true,
  };
}
