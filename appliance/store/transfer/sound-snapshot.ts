import { BOUNDS } from "../../base/bounds.ts";
import { BlockReader } from "../blocks/block-reader.ts";
import { monthOf } from "../blocks/month.ts";
import { soundBlock } from "../blocks/sound.ts";
import { readBatch } from "../log/batch.ts";
import { dayOfPart, SETTLED } from "../settling/parts.ts";
import type { BlockRow, Snapshot, SourceNumber } from "../snapshot.ts";
import { type CountRules, NOT_OURS, refuseUnsound } from "./counts.ts";
import { LAST_BELIEVED_DAY } from "./values.ts";

/**
 * A snapshot of counts from elsewhere, which refuses blocks and batches that no hits could have made. Of detail that
 * is not needed it checks the size only.
 * @param looked node → the last number of its log that was checked; it is updated
 */
export function soundSnapshot(
  snapshot: Snapshot,
  rules: CountRules & { readonly imports: ReadonlySet<SourceNumber> },
  looked: Map<number, number>,
): Snapshot {
  return {
    generation: () => snapshot.generation(),
    folded: () => snapshot.folded(),
    blocks: (...asked) => snapshot.blocks(...asked),
    pieces: (...asked) => snapshot.pieces(...asked),
    past: (sites) => snapshot.past(sites),
    siteKeys: () => snapshot.siteKeys(),
    async log(after, maxBytes) {
      const rows = await snapshot.log(after, maxBytes);
      for (const { node, n, body } of rows) {
        if (n <= (looked.get(node) ?? 0)) continue;
        const batch = readBatch(body);
        // A batch that cannot be read counts nothing, so it needs no check.
        if (batch !== undefined) refuseUnsound(batch, rules);
        looked.set(node, n);
      }
      return rows;
    },
    async rows(sites, months, depth) {
      const rows = await snapshot.rows(sites, months, depth);
      return depth === "detail"
        ? rows.map((row) => soundRow(row, rules.imports.has(row.source), rules))
        : rows.filter((row) => isBounded(row, rules));
    },
  };
}

/**
 * A block that a stranger may have made. @param isImported whether its counts are of another tool
 * @throws as `refuse` where no fold could have made it
 * @throws {RangeError} when the bytes are no block
 */
export function soundRow(row: BlockRow, isImported: boolean, rules: CountRules): BlockRow {
  if (!(row.month >= 0 && row.month <= monthOf(LAST_BELIEVED_DAY))) rules.refuse(NOT_OURS);
  const { pieces, days, counted } = soundBlock({ ...row, isImported }, rules);
  // A part of a day that holds others would be as large as a month, and there may be many.
  if (row.part !== SETTLED && days !== (days & (2 ** Math.max(0, dayOfPart(row.part)))))
    rules.refuse("a part of a day that holds others");
  if (!rules.sum.add(counted)) rules.refuse("more than anybody can count");
  return { ...row, ...pieces };
}

/** @throws as `refuse` where it is not */
function isBounded(row: BlockRow, { refuse }: CountRules): boolean {
  const reader = new BlockReader(row);
  const { largest } = reader;
  reader.close();
  return (
    largest <= BOUNDS.blocks.bytes || refuse("a block that takes more memory than there is for one")
  );
}
