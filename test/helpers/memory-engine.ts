import assert from "node:assert/strict";
import type { Day } from "../../appliance/base/calendar.ts";
import type { ValueRules } from "../../appliance/base/input/value-rules.ts";
import type { Months } from "../../appliance/store/blocks/month.ts";
import type { SiteKey } from "../../appliance/store/counting.ts";
import type { Soon } from "../../appliance/store/counts/site-counts.ts";
import type { EngineEvents } from "../../appliance/store/engine.ts";
import { NO_VALUE_RULES } from "../../appliance/store/sites/value-rules.ts";
import {
  type BlockKey,
  type BlockPage,
  type BlockRow,
  bytesOf,
  type Column,
  type KeptBlock,
  type LogRow,
  type Settlement,
  type SettlingSnapshot,
} from "../../appliance/store/snapshot.ts";

/** Events of an engine that nobody hears. */
export const UNHEARD: EngineEvents = {
  directory() {},
  opened() {},
  refused() {},
  counted() {},
  live() {},
  damaged() {},
  room() {},
  views: () => new Map(),
  asked: () => [],
};

/** A place for a log and blocks that forgets all at its end. */
export class MemoryEngine {
  /** Answers come later, as from a server. */
  isRemote = false;
  /** The service has run so long with this data, in milliseconds. */
  runMs = 0;
  readonly marks = new Map<Day, number>();
  readonly sites = new Set<SiteKey>();
  /** The documents of sites' rules for their values, as JSON. */
  readonly #rules = new Map<SiteKey, string>();
  #generation = 1;
  #log: LogRow[] = [];
  #blocks = new Map<string, BlockRow>();
  #past = new Map<SiteKey, Map<string, number>>();
  #folded = new Map<number, number>();
  #last = new Map<number, number>();

  commit(node: number, body: Uint8Array): number {
    const n = (this.#last.get(node) ?? 0) + 1;
    this.#last.set(node, n);
    this.#log.push({ node, n, source: 0, body });
    return n;
  }

  /** Changes bytes that are kept, as a card does that fails. */
  bend(piece: "log" | "counts"): void {
    const bent = (bytes: Uint8Array) => bytes.with(Math.floor(bytes.length / 2), 0xfe).slice(0, -1);
    if (piece === "log") this.#log = this.#log.map((row) => ({ ...row, body: bent(row.body) }));
    else
      for (const [name, row] of this.#blocks)
        this.#blocks.set(name, { ...row, counts: bent(row.counts) });
  }

  /** Whether this row of the log is folded. */
  isFolded(node: number, n: number): boolean {
    return n <= (this.#folded.get(node) ?? 0);
  }

  /** Sets the rules of a site for its values. */
  rule(site: SiteKey, rules: ValueRules): void {
    this.#rules.set(site, JSON.stringify(rules));
    this.#generation++;
  }

  rulesOf(site: SiteKey): ValueRules {
    return JSON.parse(this.#rules.get(site) ?? JSON.stringify(NO_VALUE_RULES));
  }

  erase(site: SiteKey): void {
    this.sites.delete(site);
    this.#rules.delete(site);
    for (const [key, block] of this.#blocks) if (block.site === site) this.#blocks.delete(key);
    this.#past.delete(site);
    this.#generation++;
  }

  /** @returns false where somebody changed blocks since it was prepared */
  settle(settlement: Settlement): boolean {
    const { generation, folded, puts, drops, detail, past, days, gone, merged = [] } = settlement;
    if (generation !== this.#generation) return false;
    this.#generation++;
    for (const [node, n] of folded) this.#folded.set(node, n);
    this.#log = this.#log.filter(({ node, n }) => !this.isFolded(node, n));
    for (const key of drops)
      assert.ok(this.#blocks.delete(nameOf(key)), "it drops what is not there");
    for (const row of puts) this.#blocks.set(nameOf(row), row);
    for (const { day, to } of detail)
      for (const [name, row] of this.#blocks)
        if (row.site <= to) {
          const pieces = new Map([...row.pieces].filter(([n]) => n !== day));
          this.#blocks.set(name, { ...row, pieces });
        }
    for (const { site, counters } of past) {
      const sums = this.#past.get(site) ?? new Map<string, number>();
      for (const [counter, n] of counters) sums.set(counter, (sums.get(counter) ?? 0) + n);
      this.#past.set(site, sums);
    }
    for (const { site, body, after } of merged)
      if (this.#rules.get(site) === body) this.#rules.set(site, after);
    for (const day of days) this.marks.set(day, this.runMs);
    for (const day of gone) this.marks.delete(day);
    return true;
  }

  /** All there is now, whatever comes after. */
  snapshot(): SettlingSnapshot {
    const generation = this.#generation;
    const folded = new Map(this.#folded);
    const rows = this.#log.toSorted((a, b) => a.node - b.node || a.n - b.n);
    const blocks = [...this.#blocks.values()].sort(inOrder);
    const past = new Map([...this.#past].map(([site, counters]) => [site, new Map(counters)]));
    const sites = new Set(this.sites);
    const rules = [...this.#rules].map(([site, body]) => ({ site, body }));
    const soon = <T>(answer: T): Soon<T> =>
      this.isRemote ? new Promise((resolve) => setImmediate(resolve, answer)) : answer;
    return {
      generation: () => soon(generation),
      folded: () => soon(folded),
      log: (after, maxBytes) => {
        let left = maxBytes;
        const beyond = rows.filter(({ node, n }) => n > (after.get(node) ?? 0));
        return soon(
          beyond.filter(({ body }, i) => {
            left -= body.length;
            return i === 0 || left >= 0;
          }),
        );
      },
      blocks: (of, months, columns, page) =>
        soon(pageOf(blocksOf(blocks, of, months), page).map((row) => keptOf(row, columns))),
      pieces: (key, from, to, maxBytes) => {
        let left = maxBytes;
        const there = blocks.find((block) => inOrder(block, key) === 0)?.pieces ?? [];
        return soon(
          [...there]
            .filter(([n]) => n >= from && n <= to)
            .sort(([a], [b]) => a - b)
            .filter(([, bytes], i) => {
              left -= bytes.length;
              return i === 0 || left >= 0;
            })
            .map(([n, bytes]) => ({ n, bytes: bytes.slice() })),
        );
      },
      rows: (of, months, depth) =>
        soon(
          blocksOf(blocks, of, months).map((row) => ({
            ...row,
            ...(depth === "counters" && { counts: NOTHING }),
            pieces: new Map(
              [...row.pieces].filter(([n]) => depth === "detail" || (depth === "counts" && n < 0)),
            ),
          })),
        ),
      parts: (after, limit) =>
        soon(
          blocks
            .filter((block) => after === null || inOrder(block, after) > 0)
            .filter(({ part }) => part > 0)
            .slice(0, limit),
        ),
      detailDays: () =>
        soon([...new Set(detailOf(blocks).map(({ day }) => day))].sort((a, b) => a - b)),
      detailBytes: () => soon(detailOf(blocks).reduce((sum, { bytes }) => sum + bytes, 0)),
      detailOf: (day, limit) =>
        soon(
          detailOf(blocks)
            .filter((one) => one.day === day)
            .slice(0, limit),
        ),
      past: (of) => soon(of.map((site) => past.get(site) ?? new Map<string, number>())),
      siteKeys: () => soon(sites),
      valueRules: () => soon(rules),
    };
  }

  get blocks(): readonly BlockRow[] {
    return [...this.#blocks.values()].sort(inOrder);
  }
}

function nameOf({ site, month, source, part }: BlockKey): string {
  return `${site} ${month} ${source} ${part}`;
}

function inOrder(a: BlockKey, b: BlockKey): number {
  return a.site - b.site || a.month - b.month || a.source - b.source || a.part - b.part;
}

const NOTHING = new Uint8Array();

function blocksOf(
  blocks: readonly BlockRow[],
  sites: readonly SiteKey[],
  months: Months,
): readonly BlockRow[] {
  return blocks.filter(
    ({ site, month }) => sites.includes(site) && month >= months.from && month <= months.to,
  );
}

/** In memory of its own, which the caller may free. */
function keptOf(row: BlockRow, columns: readonly Column[]): KeptBlock {
  const { site, month, source, part, counters, counts, pieces } = row;
  return {
    ...{ site, month, source, part },
    counters: columns.includes("counters") ? counters.slice() : NOTHING,
    counts: columns.includes("counts") ? counts.slice() : NOTHING,
    pieces: columns.includes("pieces")
      ? new Map([...pieces.keys()].map((n) => [n, null]))
      : undefined,
  };
}

function pageOf(rows: readonly BlockRow[], { after, maxBytes }: BlockPage): readonly BlockRow[] {
  let bytes = 0;
  return rows
    .filter((row) => after === null || inOrder(row, after) > 0)
    .filter((row, i) => {
      bytes += bytesOf(row);
      return i === 0 || bytes <= maxBytes;
    });
}

/** Ascending by site. */
function detailOf(blocks: readonly BlockRow[]) {
  return blocks.flatMap(({ site, pieces }) =>
    [...pieces].filter(([n]) => n >= 0).map(([day, { length: bytes }]) => ({ site, day, bytes })),
  );
}
