import { createHash } from "node:crypto";
import type { OnceBatch, SiteKey } from "../counting.ts";
import { BatchEncoder } from "../log/batch.ts";
import type { EncodedHits, Hit, HitRecord } from "../log/record.ts";
import { ONCE_BATCHES, SITES } from "../sites/kinds.ts";
import type { Statement } from "../sql.ts";

/** The batches of a site that are remembered; a sender repeats its last one alone. */
const REMEMBERED = 256;
const HASH_CHARACTERS = 22;

/** The form in which the name of a batch is kept. @param name unique among those of its site */
export function onceHash(name: string): string {
  return createHash("sha256").update(name).digest("base64url").slice(0, HASH_CHARACTERS);
}

const MINE = `kind = '${ONCE_BATCHES.name}' AND id = CAST($1 AS text)`;
const IS_KNOWN = "replace(body, CAST($2 AS text), '') <> body";

/** Holds what is remembered for the site, so that another sender of the same batch waits. */
export function holdOnce({ site }: OnceBatch): Statement {
  return {
    text: `INSERT INTO document (kind, id, body, revision)
      SELECT '${ONCE_BATCHES.name}', CAST($1 AS text), '""', n FROM revision
      WHERE EXISTS (SELECT 1 FROM document
        WHERE kind = '${SITES.name}' AND id = CAST($1 AS text) AND body IS NOT NULL)
      ON CONFLICT (kind, id) DO UPDATE SET body = document.body`,
    values: [`${site}`],
  };
}

/** Finds a row where the batch was counted. */
export function findOnce({ site, hash }: OnceBatch): Statement {
  return {
    text: `SELECT 1 FROM document WHERE ${MINE} AND ${IS_KNOWN}`,
    values: [`${site}`, hash],
  };
}

/** Fails with a text that is no number (22P02) where the batch was counted, in PostgreSQL. */
export function failOnce({ site, hash }: OnceBatch): Statement {
  return {
    text: `SELECT CAST((SELECT 'counted' FROM document WHERE ${MINE} AND ${IS_KNOWN}) AS integer)`,
    values: [`${site}`, hash],
  };
}

/** Remembers the batch. */
export function noteOnce({ site, hash }: OnceBatch): Statement {
  const kept = (REMEMBERED - 1) * (HASH_CHARACTERS + 1);
  return {
    text: `UPDATE document SET
        body = '"' || CAST($2 AS text) || ',' || substr(replace(body, '"', ''), 1, ${kept}) || '"'
      WHERE ${MINE}`,
    values: [`${site}`, hash],
  };
}

/** Encodes the hits of a site as they come, of which there may be more than one batch of the log takes. */
export class HitsEncoder {
  readonly #site: SiteKey;
  readonly #encoder = new BatchEncoder();
  readonly #log: Uint8Array[] = [];
  #hits = 0;

  constructor(site: SiteKey) {
    this.#site = site;
  }

  add(hit: Hit & Pick<HitRecord, "moment">): void {
    const record = { ...hit, site: this.#site, times: 1 };
    this.#hits++;
    if (this.#encoder.add(record)) return;
    this.#take();
    this.#encoder.add(record);
  }

  end(): EncodedHits {
    if (this.#encoder.hits > 0) this.#take();
    return { site: this.#site, log: this.#log, hits: this.#hits };
  }

  #take(): void {
    this.#log.push(this.#encoder.encode());
    this.#encoder.clear();
  }
}
