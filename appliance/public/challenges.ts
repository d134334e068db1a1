import type { SecureContext } from "node:tls";

/** What a CA is shown while it looks. */
export class Challenges {
  readonly #contexts = new Map<string, SecureContext>();
  readonly #proofs = new Map<string, string>();

  /** For who asks for this name by `acme-tls/1` (RFC 8737). */
  contextFor(serverName: string): SecureContext | undefined {
    return this.#contexts.get(serverName.toLowerCase());
  }

  /** For who asks for `/.well-known/acme-challenge/TOKEN` (RFC 8555 section 8.3). */
  proofFor(token: string): string | undefined {
    return this.#proofs.get(token);
  }

  /** Shows it until the function that this returns is called. */
  showContext(serverName: string, context: SecureContext): () => void {
    return shown(this.#contexts, serverName.toLowerCase(), context);
  }

  showProof(token: string, proof: string): () => void {
    return shown(this.#proofs, token, proof);
  }
}

function shown<T>(all: Map<string, T>, key: string, value: T): () => void {
  all.set(key, value);
  // One that came after it stays.
  return () => void (all.get(key) === value && all.delete(key));
}
