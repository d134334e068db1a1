import { OTHER } from "../../base/names.ts";
import { readEventValue } from "../log/record.ts";
import type { ValueMap } from "../sites/value-rules.ts";
import type { Block } from "./block.ts";
import { renumber } from "./compact.ts";
import { DimensionBlock } from "./dictionary.ts";

/** Makes values of a block one, with their counts by day and their rows of detail. No sum of a dimension changes. */
export function renameValues(block: Block, map: ValueMap): void {
  for (const [name, before] of block.inOrder) {
    // Numbers that events carry are by their names, beside which the numbers themselves stand for rows of detail.
    const isSum = name === "event_value";
    const others = map.get(isSum ? "event" : name);
    const otherOf = (text: string) =>
      isSum && readEventValue(text) !== undefined ? undefined : others?.get(text);
    if (!before.texts.some((text) => otherOf(text) !== undefined)) continue;
    const dimension = new DimensionBlock();
    const places = Uint16Array.from(before.texts, (text) => {
      const to = otherOf(text) ?? text;
      return dimension.take(to) ?? dimension.placeOf(OTHER);
    });
    for (const [day, table] of before.days.entries())
      table?.each((value, counts) => dimension.table(day).add(places[value] as number, counts));
    block.dimensions.set(name, dimension);
    renumber(block, name, places);
  }
}
