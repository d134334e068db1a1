/**
 * `now`: counted here; `here`: counted here before a restore or a failover; `copy`: copied from a database; `import`:
 * of a file from elsewhere; `place`: counted at a place, and fetched from there.
 */
export type SourceKind = "now" | "here" | "copy" | "import" | "place";

interface Source {
  readonly number: number;
  readonly kind: SourceKind;
  readonly name?: string;
}

/** Whether everybody who reads the site may be told a source's name: it is no name of a place that was copied from, or of a file. */
export const hasOpenName = ({ kind }: Pick<Source, "kind">): boolean =>
  kind === "now" || kind === "here";

/** The name of a source for people, with or without that of its database or file: `copied from old-box`. */
export function sourceName({ number, kind, name }: Source): string {
  if (kind === "now") return "counted here";
  if (kind === "here") return `counted here ${name}`;
  if (kind === "place")
    return name === undefined ? `counted at a place (source ${number})` : `counted at ${name}`;
  const done = kind === "copy" ? "copied" : "imported";
  return name === undefined ? `${done} (source ${number})` : `${done} from ${name}`;
}
