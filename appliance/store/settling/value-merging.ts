import { bodyOf } from "../../base/documents.ts";
import { VALUE_RULES, type ValueRules } from "../../base/input/value-rules.ts";
import { ALL_KEPT } from "../blocks/compact.ts";
import { mergeRows } from "../blocks/merge.ts";
import { ALL_MONTHS } from "../blocks/month.ts";
import { NoBlock } from "../blocks/varints.ts";
import type { SiteKey } from "../counting.ts";
import { openBlock } from "../counts/block-reading.ts";
import { type ValueMap, valueMap } from "../sites/value-rules.ts";
import {
  type BlockRow,
  blocksIn,
  type KeptBlock,
  type RuleRow,
  type SettlingSnapshot,
  type Snapshot,
} from "../snapshot.ts";

/** The rules of each site for its values. @param rows the documents of VALUE_RULES */
export function rulesOfSites(rows: readonly RuleRow[]): ReadonlyMap<SiteKey, ValueRules> {
  return new Map(
    rows.flatMap(({ site, body }) => {
      const rules = bodyOf(VALUE_RULES, String(site), body);
      return rules === undefined ? [] : [[site, rules] as const];
    }),
  );
}

/** A block whose values are one now, or a site of which all are. */
type ValueStep =
  | { readonly row: BlockRow; readonly merged: ReturnType<typeof mergeRows> }
  | { readonly done: RuleRow & { readonly after: string } };

/** Makes values of settled blocks one that are due: the same again where a settlement was not carried out. */
export async function* valueSteps(snapshot: SettlingSnapshot): AsyncGenerator<ValueStep> {
  const kept = await snapshot.valueRules();
  const bodies = new Map(kept.map((row) => [row.site, row]));
  for (const [site, { rules, due }] of rulesOfSites(kept)) {
    const row = bodies.get(site);
    if (due.length === 0 || row === undefined) continue;
    const map = valueMap(due);
    for await (const block of blocksIn(snapshot, [site], ALL_MONTHS, ["counts", "pieces"])) {
      if (!(await holdsAny(snapshot, block, map))) continue;
      const { month } = block;
      const whole = (await snapshot.rows([site], { from: month, to: month }, "detail")).find(
        ({ source, part }) => source === block.source && part === block.part,
      );
      const merged = whole && orUnreadable(() => mergeRows(month, [whole], ALL_KEPT, map));
      // A block that cannot be read stays as it is, so that it can still be repaired.
      if (whole !== undefined && merged !== undefined) yield { row: whole, merged };
    }
    yield { done: { ...row, after: JSON.stringify({ rules, due: [] }) } };
  }
}

/** Whether a block has any of the values that count as others. */
async function holdsAny(snapshot: Snapshot, block: KeptBlock, map: ValueMap): Promise<boolean> {
  try {
    const reader = openBlock(snapshot, block);
    let holds = false;
    for (const [name, others] of map) {
      await reader.load(name);
      const texts = reader.dimension(name)?.texts;
      for (const text of others.keys()) {
        const bytes = Buffer.from(text);
        for (let n = 0; !holds && texts !== undefined && n < texts.size; n++)
          holds = texts.is(n, bytes);
      }
      reader.release();
    }
    reader.close();
    return holds;
  } catch (error) {
    if (!(error instanceof NoBlock)) throw error;
    return false;
  }
}

/** Undefined where bytes are none of ours: a card has bent them. */
export function orUnreadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof NoBlock)) throw error;
    return undefined;
  }
}
