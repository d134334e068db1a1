import type { LicensedPart, LicenseList } from "../../appliance/base/release/license-list.ts";

export interface Part extends LicensedPart {
  /** Its own notice and the texts of its license, to be passed on with it. */
  readonly notices: readonly string[];
  /** The texts of what `LicenseRef-…` in its license means, by that name. */
  readonly ownLicenses?: Readonly<Record<string, string>>;
}

/** A part that cannot be passed on, since nobody here knows on which terms. */
export class LicenseUnknown extends Error {}

/** Each part once, in the order of names; one that is in several others names them all. */
export function distinct(parts: readonly Part[]): Part[] {
  return [...Map.groupBy(parts, keyOf).values()]
    .flatMap((same) => {
      const within = [...new Set(same.flatMap(({ within = [] }) => within))];
      return same.slice(0, 1).map((part) => (within.length > 0 ? { ...part, within } : part));
    })
    .sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

function keyOf({ kind, name, version }: Part): string {
  return `${kind} ${name} ${version}`;
}

function sortKey(part: Part): string {
  return `${part.name.toLowerCase()} ${keyOf(part)}`;
}

/** The list with each text once. */
export function packed(parts: readonly Part[]): LicenseList {
  const texts = [...new Set(parts.flatMap(({ notices }) => notices))];
  const places = new Map(texts.map((text, place) => [text, place]));
  return {
    parts: parts.map(({ ownLicenses: _, ...part }) => ({
      ...part,
      notices: part.notices.map((text) => places.get(text) ?? 0),
    })),
    texts,
  };
}

export function unpacked({ parts, texts }: LicenseList): Part[] {
  return parts.map((part) => ({
    ...part,
    notices: part.notices.map((place) => texts[place] ?? ""),
  }));
}
