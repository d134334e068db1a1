import { createHash, type Hash } from "node:crypto";

/** Passes content on, and adds it to a hash. */
export async function* hashed(
  content: AsyncIterable<Uint8Array>,
  hash: Hash,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
}

/** The SHA-256 of content that should have so many bytes: a server may send without end. */
export async function digestOf(content: AsyncIterable<Uint8Array>, bytes: number): Promise<Buffer> {
  const hash = createHash("sha256");
  let left = bytes;
  for await (const chunk of content) {
    hash.update(chunk);
    left -= chunk.length;
    if (left < 0) break;
  }
  return hash.digest();
}
