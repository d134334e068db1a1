import type { Cancel } from "../../base/signal.ts";
import { identifierOf } from "./acme/certificate.ts";
import type { Acme } from "./acme/client.ts";
import { AcmeFailed } from "./acme/problem.ts";
import { judge } from "./addresses.ts";
import type { AskOutside } from "./ask.ts";
import { askProviderWith } from "./dns/answer.ts";
import type { LookUp } from "./dns/look-up.ts";
import type { DnsProvider } from "./dns/providers.ts";
import type { HomeRouter } from "./router/open-port.ts";
import type { FoundAddress, Messenger, PublicOutcome, PublicTask } from "./tasks.ts";

interface MessengerPorts {
  /** The public name, or an address. */
  readonly name: string;
  readonly router: Pick<HomeRouter, "open" | "close" | "outerAddress" | "listen">;
  readonly acme: Pick<Acme, "test" | "order" | "renewalInfo">;
  readonly provider: DnsProvider | undefined;
  readonly lookUp: LookUp;
  readonly ask: AskOutside;
  readonly ownAddresses: () => readonly string[];
  /** The port of this box for TLS. */
  readonly port: () => number;
}

const OUTER_PORT = 443;

/** Carries out tasks with the router, the provider, name servers and the CA. */
export class InternetMessenger implements Messenger {
  readonly #parts: MessengerPorts;

  constructor(parts: MessengerPorts) {
    this.#parts = parts;
  }

  get provider(): string | undefined {
    return this.#parts.provider?.host;
  }

  listen(heard: () => void): Cancel {
    return this.#parts.router.listen(heard);
  }

  async run(
    task: PublicTask,
    { served, keep }: Parameters<Messenger["run"]>[1],
    signal: AbortSignal,
  ): Promise<PublicOutcome> {
    const { name, router, acme } = this.#parts;
    switch (task.kind) {
      case "close-port":
        return { kind: "closed", isGone: await router.close(task.mapping, signal) };
      case "find-address":
        return { kind: "address", address: await this.#findAddress(signal) };
      case "open-port":
        return this.#openPort(task, signal);
      case "tell-dns":
        return this.#tell(task.v4, signal);
      case "look-up":
        return { kind: "looked-up", result: await this.#lookUp(task.expects, signal) };
      case "ask-renewal":
        return asked(
          async () => {
            const window =
              served === undefined ? undefined : await acme.renewalInfo(served, signal);
            return window ? { kind: "window", ...window } : { kind: "no-window" };
          },
          () => ({ kind: "no-window" }),
        );
      case "test":
        return asked(async () => {
          const { challenge } = await acme.test(identifierOf(name), signal);
          return { kind: "passed", by443: challenge === "tls-alpn-01" };
        });
      case "order":
        return asked(async () => {
          const before = task.isRenewal ? served : undefined;
          await keep(await acme.order(identifierOf(name), before, signal));
          return { kind: "issued" };
        });
    }
  }

  async #findAddress(signal: AbortSignal): Promise<FoundAddress> {
    const { router } = this.#parts;
    return this.#judged(await router.outerAddress(signal), signal);
  }

  async #judged(outer: string | undefined, signal: AbortSignal): Promise<FoundAddress> {
    const { provider, ask, ownAddresses } = this.#parts;
    const seen = await provider?.seen?.(askProviderWith(ask, signal));
    const standing = judge({ outer, seen, own: ownAddresses() });
    return { v4: outer ?? seen ?? null, standing };
  }

  async #openPort(
    { before }: Extract<PublicTask, { kind: "open-port" }>,
    signal: AbortSignal,
  ): Promise<PublicOutcome> {
    const { router, port } = this.#parts;
    const pair = { internal: port(), external: OUTER_PORT };
    const answer = await router.open(pair, before ?? undefined, signal);
    const outer = answer.kind === "open" ? answer.mapping.address : undefined;
    if (outer === undefined) return { kind: "port", answer };
    return { kind: "port", answer, address: await this.#judged(outer, signal) };
  }

  async #tell(v4: string | null, signal: AbortSignal): Promise<PublicOutcome> {
    const { provider, name, ask } = this.#parts;
    if (provider === undefined) return { kind: "stopped" };
    const asked = askProviderWith(ask, signal);
    return { kind: "told", answer: await provider.update(name, v4 ?? undefined, asked) };
  }

  async #lookUp(expects: string | null, signal: AbortSignal) {
    const found = await this.#parts.lookUp(this.#parts.name, signal);
    if (found === undefined) return "unknown";
    if (found.length === 0) return "nothing";
    return expects === null || found.includes(expects) ? "right" : "other";
  }
}

/** The CA's answer, or why there is none. */
async function asked(
  ask: () => Promise<PublicOutcome>,
  failed: (error: AcmeFailed) => PublicOutcome = outcomeOf,
): Promise<PublicOutcome> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof AcmeFailed)) throw error;
    return failed(error);
  }
}

function outcomeOf({ kind, detail, retryAfterMs, validation }: AcmeFailed): PublicOutcome {
  if (kind === "stopped") return { kind };
  const byV6 = validation?.addressUsed?.includes(":") === true;
  return { kind: "ca", failure: kind, detail, retryAfterMs, byV6 };
}
