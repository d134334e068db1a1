import { type Selection, writeSelection } from "../input/selection.ts";

/** A selection of a site that has a name. */
export interface SavedView {
  readonly name: string;
  /** As `selectionQuery` writes it. */
  readonly query: string;
}

export interface SavedViews {
  readonly views: readonly SavedView[];
}

/** Saved views of a site, and characters of their names and queries. */
export const SAVED_VIEW_LIMITS = { views: 20, name: 40, query: 2_000 } as const;

/** The query of a selection alone, the same for the same one: its conditions are in the order of letters. */
export function selectionQuery(selection: Selection): string {
  const params = new URLSearchParams();
  writeSelection(params, selection);
  const where = params.getAll("where").sort();
  params.delete("where");
  for (const text of where) params.append("where", text);
  return params.toString();
}
