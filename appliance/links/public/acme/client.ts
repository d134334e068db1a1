import type { KeyObject } from "node:crypto";
import type { Clock } from "../../../base/clock.ts";
import type { AskOutside, OutsideReply } from "../ask.ts";
import { newKey } from "../keys.ts";
import { Authority } from "./authority.ts";
import { type Identifier, type Issued, isFor, readChain } from "./certificate.ts";
import { CHALLENGE_TYPES, type ChallengeResponder, type ChallengeType } from "./challenge.ts";
import { Order, type OrderOptions } from "./order.ts";
import { AcmeFailed, type Validation } from "./problem.ts";
import { askRenewal, certificateId, type RenewalInfo } from "./renewal.ts";
import { SignedRequests } from "./signed-requests.ts";

const LETS_ENCRYPT = "https://acme-v02.api.letsencrypt.org/directory";
/** The same, with roots that no browser trusts and wider limits. */
const STAGING = "https://acme-staging-v02.api.letsencrypt.org/directory";

const CHAIN_TYPE = "application/pem-certificate-chain";
/** A clock may be a little behind the CA's. */
const SKEW_MS = 5 * 60_000;
/** The kept proofs: one of each order of the last weeks. */
const MOST_KEPT_PROOFS = 6;
/** The preferred profiles, where the CA has them: for names the future default, for addresses the only one. */
const PROFILES = { dns: "tlsserver", ip: "shortlived" };

interface AcmeOptions {
  /** URL of the CA's directory; empty for Let's Encrypt. */
  readonly directory: string;
  readonly ask: AskOutside;
  readonly keys: { account(directory: string): Promise<KeyObject> };
  readonly presenter: ChallengeResponder;
  readonly clock: Clock;
  readonly agreed: boolean;
}

/** Orders certificates of a CA by ACME. Keeps nothing but which challenge was passed last. */
export class Acme {
  readonly #options: AcmeOptions;
  readonly #directory: string;
  #passed: ChallengeType | undefined;

  constructor(options: AcmeOptions) {
    this.#options = options;
    this.#directory = options.directory || LETS_ENCRYPT;
  }

  /**
   * Has the CA validate the name by an order that is never finished, so that there is no certificate, and no name in public
   * logs. It uses Let's Encrypt's staging directory, or the directory of another CA. Port 443 is first, and port 80 after
   * its failure; the next order begins with the one that has succeeded.
   * @throws {AcmeFailed} where both fail, with the finding at port 443
   */
  async test(identifier: Identifier, signal: AbortSignal): Promise<Validation> {
    const directory = this.#directory === LETS_ENCRYPT ? STAGING : this.#directory;
    const link = await this.#begin(directory, signal);
    try {
      return await this.#prove(link, identifier, CHALLENGE_TYPES);
    } catch (first) {
      if (!mayPassByPort80(first)) throw first;
      return await this.#prove(link, identifier, ["http-01"]).catch((second) => {
        throw signal.aborted ? second : first;
      });
    }
  }

  /** Proves the name again each time: a proof that the CA has kept would say nothing about today. */
  async #prove(
    link: SignedRequests,
    identifier: Identifier,
    challenges: readonly ChallengeType[],
  ): Promise<Validation> {
    for (let proofs = 0; proofs < MOST_KEPT_PROOFS; proofs++) {
      const order = await this.#place(link, identifier, challenges, {});
      if (await order.giveUpProof()) continue;
      const validation = await order.prove();
      if (validation === undefined) continue;
      this.#passed = validation.challenge;
      return validation;
    }
    throw new AcmeFailed("server", "the certificate authority looks no more at this name");
  }

  /**
   * Orders a certificate with a new key, so that a leaked or blocked key ends with its certificate. Both are in one file.
   * @param before PEM of the certificate that it is to follow
   * @throws {AcmeFailed} `bad-answer` where the certificate does not match the order
   */
  async order(
    identifier: Identifier,
    before: string | undefined,
    signal: AbortSignal,
  ): Promise<Issued> {
    const link = await this.#begin(this.#directory, signal);
    const { renewalInfo, profiles } = link.parts.directory;
    const replaces = before && renewalInfo && certificateId(before);
    const wanted = PROFILES[identifier.type];
    const profile = profiles.includes(wanted) ? wanted : undefined;
    const challenges = this.#passed
      ? [...new Set([this.#passed, ...CHALLENGE_TYPES])]
      : CHALLENGE_TYPES;
    const order = await this.#place(link, identifier, challenges, { replaces, profile });
    const validation = await order.prove();
    if (validation !== undefined) this.#passed = validation.challenge;
    const key = newKey();
    const url = await order.finalize(key);
    return this.#checked(await link.send(url, undefined, CHAIN_TYPE), key, identifier);
  }

  /** The time to renew; undefined where the CA does not say. @throws {AcmeFailed} */
  renewalInfo(chain: string, signal: AbortSignal): Promise<RenewalInfo | undefined> {
    return askRenewal(this.#authority(this.#directory), chain, signal);
  }

  async #begin(directory: string, signal: AbortSignal): Promise<SignedRequests> {
    const { agreed, keys } = this.#options;
    if (!agreed) throw new AcmeFailed("agreement", "the terms are not agreed to");
    const authority = this.#authority(directory);
    const offer = await authority.directory(signal);
    const key = await keys.account(directory);
    const link = new SignedRequests({ authority, directory: offer, key, signal });
    await link.begin();
    return link;
  }

  #place(
    link: SignedRequests,
    identifier: Identifier,
    challenges: readonly ChallengeType[],
    wishes: OrderOptions,
  ): Promise<Order> {
    const { presenter, clock } = this.#options;
    return Order.place({ link, presenter, clock, identifier, challenges }, wishes);
  }

  #authority(directory: string): Authority {
    return new Authority({ directory, ask: this.#options.ask });
  }

  /** Checks the chain before its use (RFC 8555 section 7.4.2). */
  #checked({ headers, body }: OutsideReply, key: KeyObject, identifier: Identifier): Issued {
    const type = headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
    if (type !== CHAIN_TYPE) throw new AcmeFailed("bad-answer", "the certificate is no PEM chain");
    try {
      const issued = readChain(body.toString("latin1"), key);
      const now = this.#options.clock.now();
      if (!isFor(issued, identifier)) throw new Error("the certificate is for another name");
      if (issued.notBefore > now + SKEW_MS || issued.notAfter <= now)
        throw new Error("the certificate is not valid now");
      return issued;
    } catch (error) {
      throw new AcmeFailed("bad-answer", (error as Error).message);
    }
  }
}

/** The CA was not answered as it wants at port 443. */
function mayPassByPort80(error: unknown): boolean {
  return (
    error instanceof AcmeFailed &&
    error.validation?.challenge === "tls-alpn-01" &&
    ["connection", "tls", "unauthorized"].includes(error.kind)
  );
}
