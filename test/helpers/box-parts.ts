import type { Disk } from "../../appliance/box/disk/disk.ts";
import type { WifiState } from "../../appliance/box/ipc/wifi-state.ts";

/** A card of 32 GB to which 12 MB were written since the machine started. */
export const CARD: Disk = {
  names: { disk: "mmcblk0", data: "mmcblk0p4", controller: "mmc0" },
  id: "card",
  isCard: true,
  bytes: 32e9,
  written: () => 12e6,
  notedErrors: () => 0,
};

export const FAILING_CARD: Disk = { ...CARD, notedErrors: () => 1 };

/** The state of a Wi-Fi that does nothing. */
export const IDLE_WIFI: WifiState = {
  phase: "idle",
  own: null,
  phones: 0,
  hasOpened: null,
  mostPhones: 0,
  network: null,
  trouble: null,
  hasInternet: null,
  hasRadio: true,
  isNew: false,
};
