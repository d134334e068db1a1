/** Runs as root when something came of the Wi-Fi: see tallydeck-wifi-report.service. */
import { reportWifi } from "./wifi-report.ts";

reportWifi({ root: "/" });
