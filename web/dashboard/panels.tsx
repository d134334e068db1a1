import { BYTE_ORDER_MARK } from "../../appliance/base/text/export-name.ts";
import { download } from "../shared/download.ts";
import type { DayRange, History } from "./history.ts";
import { exportName, toCsv } from "./traffic/csv.ts";

export { WARNINGS } from "../../appliance/base/text/warnings.ts";
export { KeyList } from "./keys/key-list.tsx";
export { PeriodPanel } from "./period/period-panel.tsx";
export { OwnerLinks } from "./web-ui/owner-links.tsx";

/** Hands all counts of a range to the browser as a file to save. */
export function saveCsv(history: History, range: DayRange): void {
  const name = `${exportName(history, range)}.csv`;
  download(name, "text/csv", [BYTE_ORDER_MARK, toCsv(history, range)]);
}
