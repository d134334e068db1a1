import type { SiteAlarm } from "../../appliance/alarms/alarms.ts";
import { Signal } from "../../appliance/base/signal.ts";

/** Alarms of sites that have none. */
export const noAlarms = { changed: new Signal<SiteAlarm>(), standing: () => undefined };
