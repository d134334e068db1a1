const GAP = "  ";
/** The least characters of a name, on the narrowest terminal, too. */
const LEAST_NAME = 8;

/** A row of a listing: a name, its count, and the change of that. A sentence has no count. */
export interface ListRow {
  readonly name: string;
  readonly count?: string;
  readonly change?: string;
}

/** Rows as lines, with names and counts in columns; long names are cut. @param columns how wide a line may be */
export function listing(rows: readonly ListRow[], columns: number, indent = GAP): string[] {
  const widest = (texts: readonly string[]) =>
    Math.max(0, ...texts.map((text) => [...text].length));
  const countWidth = widest(rows.map(({ count = "" }) => count));
  const changeWidth = widest(rows.map(({ change = "" }) => change));
  const beside = countWidth + GAP.length + (changeWidth > 0 ? changeWidth + GAP.length : 0);
  const room = Math.max(LEAST_NAME, columns - indent.length - beside);
  const names = rows.map(({ name }) => shortened(printable(name), room));
  const nameWidth = widest(names);
  return rows.map(({ name, count, change = "" }, at) => {
    if (count === undefined) return `${indent}${printable(name)}`;
    const shown = names[at] ?? "";
    const pad = " ".repeat(nameWidth - [...shown].length);
    return `${indent}${shown}${pad}${GAP}${count.padStart(countWidth)}${GAP}${change}`.trimEnd();
  });
}

/** `1234` → `1,234` */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Visitors choose what is printed: nothing of it may speak to a terminal. */
function printable(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "?");
}

export function shortened(text: string, room: number): string {
  const characters = [...text];
  return characters.length <= room ? text : `${characters.slice(0, room - 1).join("")}…`;
}
