import type { IncomingMessage, ServerResponse } from "node:http";
import type { SecureContext } from "node:tls";
import { createClient } from "../../appliance/base/http/client.ts";
import { COLLECTOR_LIMITS, COLLECTOR_TLS_LIMITS } from "../../appliance/base/http/limits.ts";
import { type Listener, listen } from "../../appliance/base/http/listen.ts";
import { silentLog } from "../../appliance/base/log.ts";
import { Signal } from "../../appliance/base/signal.ts";
import {
  type Identifier,
  type Issued,
  serverNameOf,
} from "../../appliance/links/public/acme/certificate.ts";
import type {
  ChallengeResponder,
  ChallengeType,
} from "../../appliance/links/public/acme/challenge.ts";
import { FakeClock } from "./fake-clock.ts";

/** A box as the CA and visitors meet it: the service's listener for TLS, and one without. */
export class Answering implements ChallengeResponder {
  /** Which challenges were shown, oldest first. */
  readonly shown: ChallengeType[] = [];
  /** Called with each challenge that is shown. */
  onShown: () => void = () => {};
  readonly #contexts = new Map<string, SecureContext>();
  readonly #tokens = new Map<string, string>();
  readonly #changed = new Signal();
  #listeners: Listener[] = [];
  #certificate: Issued | undefined;

  static async open({ tls, http }: { tls: number; http: number }): Promise<Answering> {
    const answering = new Answering();
    const door = { clock: new FakeClock(), client: createClient([]), log: silentLog() };
    const app = { callback: () => answering.#answer };
    const certificates = {
      current: () => answering.#current(),
      changed: answering.#changed,
      challengeFor: (name: string) => answering.#contexts.get(name),
    };
    answering.#listeners = [
      await listen(app, http, "127.0.0.1", { ...door, limits: COLLECTOR_LIMITS }),
      await listen(app, tls, "127.0.0.1", { ...door, limits: COLLECTOR_TLS_LIMITS, certificates }),
    ];
    return answering;
  }

  /** The number of challenges shown now. */
  get open(): number {
    return this.#contexts.size + this.#tokens.size;
  }

  /** From now on visitors are served with it. */
  serve(certificate: Issued): void {
    this.#certificate = certificate;
    this.#changed.emit();
  }

  tlsAlpn(identifier: Identifier, context: SecureContext): () => void {
    return this.#show("tls-alpn-01", this.#contexts, serverNameOf(identifier), context);
  }

  http(token: string, keyAuthorization: string): () => void {
    return this.#show("http-01", this.#tokens, token, keyAuthorization);
  }

  async close(): Promise<void> {
    await Promise.all(this.#listeners.splice(0).map((listener) => listener.close()));
  }

  #current() {
    return this.#certificate && { cert: this.#certificate.chain, key: this.#certificate.key };
  }

  readonly #answer = ({ url = "" }: IncomingMessage, response: ServerResponse) => {
    const [, token = ""] = /^\/\.well-known\/acme-challenge\/([\w-]+)$/.exec(url) ?? [];
    response.end(this.#tokens.get(token) ?? "nothing");
  };

  #show<T>(type: ChallengeType, place: Map<string, T>, name: string, what: T): () => void {
    this.shown.push(type);
    place.set(name, what);
    this.onShown();
    return () => void place.delete(name);
  }
}
