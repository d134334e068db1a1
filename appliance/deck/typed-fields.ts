import { isDeepStrictEqual } from "node:util";
import type { SlotSettings } from "./slot-settings.ts";

/** Which fields of a slot differ while it goes on showing the same kind of thing; undefined if not. */
export function typedFields(before: SlotSettings, after: SlotSettings): string | undefined {
  if (before.widget.type !== after.widget.type) return undefined;
  const [was, is]: Record<string, unknown>[] = [
    { ...before, ...before.widget },
    { ...after, ...after.widget },
  ];
  const names = Object.keys({ ...was, ...is }).filter((name) => name !== "widget");
  return names.filter((name) => !isDeepStrictEqual(was?.[name], is?.[name])).join();
}
