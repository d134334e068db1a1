import { readFileSync } from "node:fs";

/** The most connections of a listener at a time. */
export interface ConnectionLimits {
  readonly total: number;
  /** The most from one address, or IPv6 /64; behind a trusted proxy, the most requests at a time. */
  readonly perAddress: number;
  /**
   * The limit for each of 127.0.0.1 and ::1, from where a proxy without configuration brings all visitors.
   */
  readonly perLoopback: number;
  /** Whether each IPv6 address counts alone, since a home network is one /64. */
  readonly isHome?: true;
}

/**
 * With the 64 kB of headers that each may hold, these and the service itself fit a board of 512 MB
 * twice over; idle connections make room for new ones long before any client is turned away.
 */
export const COLLECTOR_LIMITS: ConnectionLimits = { total: 512, perAddress: 64, perLoopback: 384 };
/** The limits with TLS, where each connection takes more memory. */
export const COLLECTOR_TLS_LIMITS: ConnectionLimits = {
  total: 256,
  perAddress: 64,
  perLoopback: 192,
};
export const CONTROL_LIMITS: ConnectionLimits = {
  total: 128,
  perAddress: 32,
  perLoopback: 96,
  isHome: true,
};
/** Limits of a collector with a process of its own on a larger machine. */
export const FLEET_LIMITS: ConnectionLimits = { total: 2_048, perAddress: 64, perLoopback: 1_536 };

/** Limits for metrics, which few programs read now and then. */
export const METRICS_LIMITS: ConnectionLimits = { total: 16, perAddress: 8, perLoopback: 8 };

/** The most connections of all listeners of the service. */
const SERVICE_TOTAL = COLLECTOR_LIMITS.total + COLLECTOR_TLS_LIMITS.total + CONTROL_LIMITS.total;

/** File descriptors that are reserved for the database, the decks, and other files. */
const RESERVED_DESCRIPTORS = 80;
/** However few descriptors there are. */
const LEAST_CONNECTIONS = 4;

/**
 * Reduces limits to the file descriptors that a process may have.
 * @param everything the most connections of all its listeners together
 */
export function fitting(
  limits: ConnectionLimits,
  descriptors: number,
  everything = SERVICE_TOTAL,
): ConnectionLimits {
  const share = Math.min(1, Math.max(0, descriptors - RESERVED_DESCRIPTORS) / everything);
  const part = (limit: number) => Math.max(LEAST_CONNECTIONS, Math.floor(limit * share));
  return {
    ...limits,
    total: part(limits.total),
    perAddress: Math.min(limits.perAddress, part(limits.total)),
    perLoopback: Math.min(limits.perLoopback, part(limits.total)),
  };
}

/** The most file descriptors of this process; Infinity where the system does not say. */
export function descriptorLimit(
  read: () => string = () => readFileSync("/proc/self/limits", "utf8"),
): number {
  try {
    return Number(/^Max open files +(\d+)/m.exec(read())?.[1] ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
