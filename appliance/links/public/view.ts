/** The state of the public address for all displays and browsers. */

export type PublicState =
  /** States without activity: the owner has to give a name or agree, or the time is not known. */
  | "off"
  | "needs-name"
  | "needs-consent"
  | "needs-listener"
  | "waiting-for-clock"
  /** States on the way. */
  | "finding-address"
  | "dns-updating"
  | "dns-waiting"
  | "opening-port"
  | "testing"
  | "ordering"
  /** Visitors are served. */
  | "live"
  | "renewing"
  /** States with served visitors and a fault. */
  | "address-changed"
  | "unreached"
  | "expires"
  /** The owner has to do something, or to wait. */
  | "cgnat"
  | "ds-lite"
  | "double-nat"
  | "dns-refused"
  | "name-points-elsewhere"
  | "port-refused"
  | "port-taken"
  | "unreachable-from-outside"
  | "caa"
  | "name-refused"
  | "limit"
  | "ca-unreachable";

export type PublicStep = "name" | "address" | "port" | "certificate" | "reached";

/** One line of the way in. Times are epoch milliseconds. */
export interface StepView {
  readonly step: PublicStep;
  readonly state: "done" | "working" | "wrong" | "waiting";
  readonly sentence: string;
  /** The one next step for the owner, where there is one. */
  readonly next?: string;
  /** The time at which the box tries again by itself. */
  readonly nextTryAt?: number;
}

export interface PublicView {
  readonly state: PublicState;
  /** Whether visitors are served by https://. */
  readonly live: boolean;
  /** `https://NAME`, live or not; null while there is no name. */
  readonly url: string | null;
  readonly headline: string;
  /** The steps in order: name, address, port, certificate, reached. */
  readonly steps: readonly StepView[];
  readonly expiresAt: number | null;
  /** The time of the last visitor from outside since the start. */
  readonly reachedAt: number | null;
  readonly testsLeft: number;
  readonly warnings: readonly ("certificate_expires" | "unreached")[];
}
