import { readdirSync } from "node:fs";
import { join, relative } from "node:path";

/** The zone that the owner of a box means, in the box's own spelling. */
export type FindTimeZone = (text: string) => string | undefined;

/**
 * Finds zones among the files of a folder like /usr/share/zoneinfo. Debian keeps old names like
 * US/Pacific in a package of their own, and a link to a file that is not there silently means UTC.
 */
export function timeZonesIn(folder: string): FindTimeZone {
  return (text) => {
    const meant = canonicalName(text);
    if (meant === undefined) return undefined;
    const names = namesIn(folder);
    return (
      names.find((name) => name.toLowerCase() === text.toLowerCase()) ??
      names.find((name) => name === meant) ??
      // The name that Unicode calls canonical may be the old one itself: Asia/Calcutta for
      // Asia/Kolkata.
      names.find((name) => canonicalName(name) === meant)
    );
  };
}

function canonicalName(text: string): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9+_-]*(?:\/[A-Za-z0-9+_-]+){0,2}$/.test(text)) return undefined;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** Zones begin with a capital; `zone.tab`, `posix/` and `right/` do not. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
      .filter((name) => /^[A-Z]/.test(name))
      .sort();
  } catch {
    return [];
  }
}
