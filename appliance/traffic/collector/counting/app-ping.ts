import { storable } from "../../../base/text/storable.ts";
import { type Dimension, type Hit, mostValues } from "../../../store/log/record.ts";

/** An OS bucket: `macos-14.2`, `arch`, `unknown`. */
export const OS_BUCKET = /^[a-z][a-z0-9_]{0,15}(-[a-z0-9.]{1,12})?$/;
/** MAJOR.MINOR.PATCH */
export const APP_VERSION = /^\d+\.\d+\.\d+$/;
const TZ_OFFSET = /^(UTC[+-]\d{2}:\d{2}|unknown)$/;
const LOCALE_OR_REGION = /^(?:[a-z]{2,3}-)?([a-z]{2,3})$/i;

/** The hit that a desktop app's ping is; a field off its shape is left out. */
export function appPingHit(payload: Readonly<Record<string, unknown>>, cdnCountry: string): Hit {
  const values: [Dimension, string][] = [];
  const add = (dimension: Dimension, value: unknown, shape: RegExp) => {
    if (typeof value === "string" && shape.test(value)) values.push([dimension, storable(value)]);
  };
  const os = storable(payload.os);
  if (os !== "") values.push(["app_os", os]);
  add("app_os_version", payload.ov, OS_BUCKET);
  add("app_tz_offset", payload.tz, TZ_OFFSET);
  add("app_version", payload.v, APP_VERSION);
  for (const device of devices(payload.dv)) values.push(["app_device", device]);
  const country = cdnCountry || regionOf(payload.country);
  if (country !== "") values.push(["country", country]);
  return { kind: "ping", flags: 0, values };
}

function devices(dv: unknown): Iterable<string> {
  if (typeof dv !== "string") return [];
  const ids = dv.split(",").map((id) => storable(id.trim()));
  return new Set(ids.filter((id) => id !== "").slice(0, mostValues("app_device")));
}

function regionOf(country: unknown): string {
  if (typeof country !== "string") return "";
  return LOCALE_OR_REGION.exec(country)?.[1]?.toUpperCase() ?? "";
}
