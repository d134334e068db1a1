import type { Cancel } from "../../base/signal.ts";
import type { Issued } from "./acme/certificate.ts";
import type { AcmeKind } from "./acme/problem.ts";
import type { Standing } from "./addresses.ts";
import type { DnsAnswer } from "./dns/answer.ts";
import type { Mapping, PortAnswer } from "./router/mapping.ts";

/** One thing to do outside of this box, which takes a while and may fail. */
export type PublicTask =
  | { readonly kind: "close-port"; readonly mapping: Mapping }
  | { readonly kind: "find-address" }
  /** `v4` is null where it is not known: the provider takes the address that it sees. */
  | { readonly kind: "tell-dns"; readonly v4: string | null }
  | { readonly kind: "look-up"; readonly expects: string | null }
  | {
      readonly kind: "open-port";
      /** The mapping that was granted last, to be renewed. */
      readonly before: Mapping | null;
      /** Whether the router may have a mapping already, regardless of its answer. */
      readonly mayBeOpen: boolean;
    }
  | { readonly kind: "ask-renewal" }
  | { readonly kind: "test" }
  | { readonly kind: "order"; readonly isRenewal: boolean };

export type PublicOutcome =
  | { readonly kind: "closed"; readonly isGone: boolean }
  | { readonly kind: "address"; readonly address: FoundAddress }
  | { readonly kind: "told"; readonly answer: DnsAnswer }
  | { readonly kind: "looked-up"; readonly result: "right" | "other" | "nothing" | "unknown" }
  | {
      readonly kind: "port";
      readonly answer: PortAnswer;
      /** The address, if the router has reported it. */
      readonly address?: FoundAddress;
    }
  | {
      readonly kind: "window";
      readonly start: number;
      readonly end: number;
      readonly retryAfterMs: number;
    }
  | { readonly kind: "no-window" }
  | { readonly kind: "passed"; readonly by443: boolean }
  | { readonly kind: "issued" }
  | CaFailure
  | { readonly kind: "stopped" };

/** The home's IPv4 address, null where the router reports none, and its reachability. */
export interface FoundAddress {
  readonly v4: string | null;
  readonly standing: Standing;
}

/** The failure of a test or an order, from its `AcmeFailed`. */
export interface CaFailure {
  readonly kind: "ca";
  readonly failure: CaFailureKind;
  readonly detail: string;
  readonly retryAfterMs?: number | undefined;
  readonly byV6?: boolean;
}

/** The kinds of failures of a task at a CA. A stopped one is none. */
export type CaFailureKind = Exclude<AcmeKind, "stopped">;

/** Failures in which the CA found the way in shut. */
export const FROM_OUTSIDE: readonly CaFailureKind[] = ["connection", "dns", "tls", "unauthorized"];
/** Failures that say nothing of the way in. */
export const OF_THE_CA: readonly CaFailureKind[] = ["server", "unreachable", "bad-answer"];

export interface Messenger {
  /** The provider of dynamic DNS, to name it to a person. */
  readonly provider: string | undefined;
  /**
   * Runs a task. It never rejects because of the other side.
   * @param has `served`: the present chain (PEM); `keep` is called with a new certificate before the outcome
   */
  run(
    task: PublicTask,
    has: { readonly served: string | undefined; readonly keep: (issued: Issued) => Promise<void> },
    signal: AbortSignal,
  ): Promise<PublicOutcome>;
  /** Calls `heard` when the router has restarted, or may have, which proves nothing. */
  listen(heard: () => void): Cancel;
}
