import { createPublicKey, type KeyObject, sign } from "node:crypto";
import { isText } from "../../../base/input/json.ts";
import { sha256 } from "../../../base/system/secrets.ts";
import type { OutsideReply } from "../ask.ts";
import type { AcmeDirectory, Authority } from "./authority.ts";
import { AcmeFailed } from "./problem.ts";

/** Pebble rejects one good nonce of twenty, on purpose. */
const MOST_BAD_NONCES = 5;
const LONGEST_NONCE = 512;

interface ConversationParts {
  readonly authority: Authority;
  readonly directory: AcmeDirectory;
  readonly key: KeyObject;
  readonly signal: AbortSignal;
}

/** Signed requests of one account, one after the other (RFC 8555 section 6.2). */
export class SignedRequests {
  readonly parts: ConversationParts;
  #nonce: string | undefined;
  #account: string | undefined;

  constructor(parts: ConversationParts) {
    this.parts = parts;
  }

  /**
   * Creates or finds the account of our key, which has no data of ours but the key (section 7.3). The owner must have agreed
   * to the terms.
   * @throws {AcmeFailed} like all methods of this class
   */
  async begin(): Promise<void> {
    const { newAccount } = this.parts.directory;
    const reply = await this.send(newAccount, { termsOfServiceAgreed: true });
    const { status } = this.parts.authority.json(reply);
    if (status !== "valid")
      throw new AcmeFailed("account", "the account has been deactivated or revoked");
    this.#account = this.parts.authority.own(reply.headers.location);
  }

  /** @param payload undefined to read only */
  async post(url: string, payload?: object): Promise<Record<string, unknown>> {
    return this.parts.authority.json(await this.send(url, payload));
  }

  /**
   * Sends a signed request. @returns the answer, which is a success
   * @param accept the required type of content
   */
  async send(url: string, payload?: object, accept?: string): Promise<OutsideReply> {
    for (let bad = 0; ; bad++) {
      const reply = await this.#sendOnce(url, payload, accept);
      if (reply.status < 300) return reply;
      const failure = this.parts.authority.failure(reply);
      // Section 6.5: the answer brings a nonce that is good.
      if (failure.type !== "badNonce" || bad === MOST_BAD_NONCES) throw meant(failure);
    }
  }

  async #sendOnce(url: string, payload?: object, accept?: string): Promise<OutsideReply> {
    const own = this.parts.authority.own(url);
    const nonce = this.#nonce ?? (await this.#newNonce());
    this.#nonce = undefined;
    const reply = await this.parts.authority.ask(
      {
        method: "POST",
        url: own,
        headers: { "content-type": "application/jose+json", ...(accept && { accept }) },
        body: signJws(this.parts.key, { nonce, url: own, kid: this.#account }, payload),
      },
      this.parts.signal,
    );
    this.#nonce = nonceOf(reply);
    return reply;
  }

  /** Section 7.2. */
  async #newNonce(): Promise<string> {
    const url = this.parts.directory.newNonce;
    const reply = await this.parts.authority.ask({ method: "HEAD", url }, this.parts.signal);
    const nonce = nonceOf(reply);
    if (nonce !== undefined) return nonce;
    throw reply.status < 300
      ? new AcmeFailed("bad-answer", "there is no nonce in the answer")
      : this.parts.authority.failure(reply);
  }
}

/** Renames a failure whose name has another meaning outside of challenges. */
function meant(failure: AcmeFailed): AcmeFailed {
  if (failure.kind !== "unauthorized") return failure;
  const { detail, type, status, retryAfterMs } = failure;
  return new AcmeFailed("account", detail, { type, status, retryAfterMs });
}

function nonceOf({ headers }: OutsideReply): string | undefined {
  const nonce = headers["replay-nonce"];
  const isNonce = isText(nonce) && nonce.length <= LONGEST_NONCE && /^[\w-]+$/.test(nonce);
  return isNonce ? nonce : undefined;
}

interface ProtectedHeader {
  readonly nonce: string;
  readonly url: string;
  /** The account's URL; without it the key itself is sent. */
  readonly kid?: string | undefined;
}

/**
 * JWS with ES256 (RFC 7515, RFC 7518 section 3.4), flattened as RFC 8555 section 6.2 wants it.
 * @param payload undefined for POST-as-GET (section 6.3)
 */
function signJws(
  key: KeyObject,
  { nonce, url, kid }: ProtectedHeader,
  payload: object | undefined,
): string {
  const who = kid === undefined ? { jwk: jwkOf(key) } : { kid };
  const header = base64url(JSON.stringify({ alg: "ES256", ...who, nonce, url }));
  const body = payload === undefined ? "" : base64url(JSON.stringify(payload));
  const signature = sign("sha256", Buffer.from(`${header}.${body}`), {
    key,
    dsaEncoding: "ieee-p1363",
  });
  return JSON.stringify({
    protected: header,
    payload: body,
    signature: signature.toString("base64url"),
  });
}

/** The proof that the answer of a challenge comes from the holder of the account's key (RFC 8555 section 8.1). */
export function keyAuthorization(token: string, key: KeyObject): string {
  return `${token}.${sha256(JSON.stringify(jwkOf(key))).toString("base64url")}`;
}

/** The public half, with its members in the order that its thumbprint wants (RFC 7638 section 3). */
function jwkOf(key: KeyObject): object {
  const { crv, kty, x, y } = createPublicKey(key).export({ format: "jwk" });
  return { crv, kty, x, y };
}

const base64url = (text: string) => Buffer.from(text).toString("base64url");
