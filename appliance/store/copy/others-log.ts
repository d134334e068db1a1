import type { Block } from "../blocks/block.ts";
import { encodeBlock } from "../blocks/codec.ts";
import { fold } from "../blocks/fold.ts";
import type { Month } from "../blocks/month.ts";
import type { SiteKey } from "../counting.ts";
import { readBatch, rowsBySite } from "../log/batch.ts";
import { emptyRow } from "../settling/erasing.ts";
import { PASS_GENERATION } from "../settling/statements.ts";
import type { BlockKey, LogRow, SourceNumber } from "../snapshot.ts";
import type { Transaction } from "../sql.ts";
import type { CopyEnd } from "./end.ts";
import { addToMonth } from "./months.ts";
import type { Retries } from "./run.ts";

const READ_BYTES = 1_048_576;

/**
 * Folds the batches of other sources in the log of a target, which are there after a restore: they
 * would be added to a newer state of theirs. Hits that wait for the clock go on waiting.
 */
export async function foldOthers(to: CopyEnd, patience: Retries): Promise<void> {
  for (;;) {
    if ((await patience.with(() => to.read(next))).length === 0) return;
    await patience.with(() =>
      to.transaction(async (access) => {
        await access.rows(PASS_GENERATION);
        const rows = await next(access);
        for (const { site, source, blocks } of await folded(access, rows))
          for (const [month, block] of blocks)
            await addToMonth(access, { site, source, month }, encodeBlock(block));
        await access.all(rows.map(emptyRow));
      }),
    );
  }
}

/** The next rows of the log from other sources, dated, and not empty. */
async function next({ snapshot, own }: Transaction): Promise<readonly LogRow[]> {
  const { number } = await own();
  const seen = new Map(await snapshot.folded());
  for (;;) {
    const rows = await snapshot.log(seen, READ_BYTES);
    if (rows.length === 0) return [];
    for (const { node, n } of rows) seen.set(node, n);
    const others = rows.filter(({ source, body }) => source !== number && isDated(body));
    if (others.length > 0) return others;
  }
}

function isDated(body: Uint8Array): boolean {
  const batch = readBatch(body);
  return batch !== undefined && batch.undated === undefined && batch.moments.length > 0;
}

interface Folded extends Pick<BlockKey, "site" | "source"> {
  readonly blocks: Map<Month, Block>;
}

async function folded(access: Transaction, rows: readonly LogRow[]): Promise<readonly Folded[]> {
  const exists = await access.snapshot.siteKeys();
  const all = new Map<string, Folded>();
  for (const { source, body } of rows) {
    const batch = readBatch(body);
    if (batch === undefined) continue;
    for (const [site, its] of rowsBySite(batch)) {
      if (!exists.has(site)) continue;
      const { blocks } = foldedOf(all, site, source);
      fold(blocks, batch, its, { detailFrom: 0 });
    }
  }
  return [...all.values()];
}

function foldedOf(all: Map<string, Folded>, site: SiteKey, source: SourceNumber): Folded {
  const name = `${site} ${source}`;
  const known = all.get(name) ?? { site, source, blocks: new Map<Month, Block>() };
  all.set(name, known);
  return known;
}
