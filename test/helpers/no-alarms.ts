import { Signal } from "../../appliance/base/signal.ts";
import type { SiteAlarm } from "../../appliance/traffic/alarms/alarms.ts";

/** Alarms of sites that have none. */
export const noAlarms = { changed: new Signal<SiteAlarm>(), standing: () => undefined };
