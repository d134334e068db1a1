/** A source of counts. */
interface Source {
  readonly number: number;
  readonly kind: "now" | "here" | "copy";
  readonly name?: string;
}

/** The name of a source for people, with or without that of its database: `copied from old-box`. */
export function sourceName({ number, kind, name }: Source): string {
  if (kind === "now") return "counted here";
  if (kind === "here") return `counted here ${name}`;
  return name === undefined ? `copied (source ${number})` : `copied from ${name}`;
}
