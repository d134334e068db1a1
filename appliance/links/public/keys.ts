import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { join } from "node:path";
import type { Log } from "../../base/log.ts";
import { bytesOf, replacePrivateFile } from "../../base/system/files.ts";
import { sha256 } from "../../base/system/secrets.ts";
import { certificateFile, type Issued, readCertificateFile, readKey } from "./acme/certificate.ts";

/** Larger than any file of ours. */
const MOST_BYTES = 131_072;

/**
 * The folder of secrets that must not be lost: the keys of accounts at CAs, the certificate with its key, and the record
 * of the public address. Each file is written, synced and renamed, so that it survives a power cut. A file that cannot be
 * read is logged and created again. After a failed write, which is logged, too, the content is used until the next start.
 * Backups have none of these files.
 */
export class Keys {
  readonly #folder: string;
  readonly #log: Log;
  readonly #accounts = new Map<string, Promise<KeyObject>>();
  readonly #unwritten = new Set<string>();

  /** @param folder a folder of its own, which is created with the first file */
  constructor({ folder, log }: { folder: string; log: Log }) {
    this.#folder = folder;
    this.#log = log;
  }

  /** The key of the account at a CA, by the address of its directory. */
  account(directory: string): Promise<KeyObject> {
    const key = this.#accounts.get(directory) ?? this.#keptOrNew(directory);
    this.#accounts.set(directory, key);
    return key;
  }

  async #keptOrNew(directory: string): Promise<KeyObject> {
    const file = `account-${sha256(directory).toString("hex").slice(0, 16)}.pem`;
    const kept = this.#read(file, "account with the certificate authority", readKey);
    if (kept !== undefined) return kept;
    const key = newKey();
    await this.#write(file, String(key.export({ type: "pkcs8", format: "pem" })));
    return key;
  }

  /** The certificate that was saved last; whether it is valid still, its dates say. */
  chain(): Issued | undefined {
    return this.#read(CERTIFICATE, "certificate", readCertificateFile);
  }

  /** @returns false where it could not be written */
  saveChain(issued: Pick<Issued, "chain" | "key">): Promise<boolean> {
    return this.#write(CERTIFICATE, certificateFile(issued));
  }

  /** The last record of `saveRecord`, unchecked; undefined where there is none. */
  record(): unknown {
    return this.#read(RECORD, "record of the public address", (text): unknown => JSON.parse(text));
  }

  /** @returns false where it could not be written */
  saveRecord(value: object): Promise<boolean> {
    return this.#write(RECORD, `${JSON.stringify(value)}\n`);
  }

  #read<T>(name: string, what: string, parse: (text: string) => T): T | undefined {
    const path = join(this.#folder, name);
    const bytes = bytesOf(path, MOST_BYTES);
    if (bytes === undefined) return undefined;
    try {
      return parse(Buffer.from(bytes).toString());
    } catch {
      this.#log.warn(`The ${what} in ${path} cannot be read: it is made anew.`);
      return undefined;
    }
  }

  async #write(name: string, text: string): Promise<boolean> {
    const path = join(this.#folder, name);
    try {
      await replacePrivateFile(path, text);
      this.#unwritten.delete(name);
      return true;
    } catch (error) {
      // The record is written often.
      if (!this.#unwritten.has(name))
        this.#log.warn({ error }, `${path} cannot be written: it is forgotten at the next start.`);
      this.#unwritten.add(name);
      return false;
    }
  }
}

const CERTIFICATE = "certificate.pem";
const RECORD = "record.json";

/** A key for an account or a certificate; the two are never the same (RFC 8555 section 11.1). */
export function newKey(): KeyObject {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
}
