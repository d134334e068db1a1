import type { DiskError } from "../base/text/disk-errors.ts";
import type { TunnelState } from "./ipc/tunnel.ts";

/** The vitals of the machine, as far as it has them. */
export interface Vitals {
  /** The seconds since the machine was started. */
  upSeconds: number;
  memory: {
    totalBytes: number;
    /** The memory that programs could still take. */
    availableBytes?: number;
    /** The memory that the service itself takes. */
    serviceBytes: number;
  };
  /** The processor's temperature in degrees Celsius. */
  temperature?: number;
  /** The name of the wireless network, and its signal in dBm. */
  wifi?: { dbm: number; name?: string };
}

/** The card or disk that the data is on. */
export interface DiskAnswer {
  /** Whether it is a memory card. */
  isCard: boolean;
  bytes: number;
  /** Bytes that were written to it since counting began. */
  writtenBytes: number;
  /** The same for a day of running time; missing before there was one. */
  dailyBytes?: number;
  /** The years in which that wears out a card of this size. */
  lifeYears?: number;
  /** Errors within a week of running time; the last time in epoch ms, null where the clock was not set. */
  errors: readonly { kind: DiskError; times: number; at: number | null }[];
}

/** `GET /api/public/tunnel`. */
export interface TunnelAnswer {
  /** Whether `POST` is of use here: on the box. */
  possible: boolean;
  /** Null while there is none. */
  tunnel: TunnelState | null;
  /** Whether a requested change is not made yet. */
  pending: boolean;
  /** The server has answered since the tunnel was made. */
  heard: boolean;
}

/** The actions that `POST /api/power` takes. */
export type PowerAction = "restart" | "shutdown";
