import { Turns } from "../base/turns.ts";
import type { FleetAdminToken } from "./admin-token.ts";
import type { Writer } from "./engines.ts";
import type { BeforeImport } from "./rows.ts";
import type { SiteRecord } from "./sites/directory.ts";
import type { SharedWriteName, WriteInput, WriteResult } from "./writes.ts";

interface Both {
  fleet: Writer<SharedWriteName>;
  box: Writer<SharedWriteName>;
  token: FleetAdminToken;
  /** The fleet's sites. */
  sites: () => readonly SiteRecord[];
}

/** Makes changes of a fleet and of a box beside it: of both, or of neither. */
export function writerToBoth({ fleet, box, token, sites: known }: Both): Writer<SharedWriteName> {
  const turns = new Turns();

  /** Nothing is asked of the fleet where no site is named, be its database there or not. */
  async function importSites(sites: WriteInput<"importSettings">["sites"]) {
    if (sites.length === 0) return [];
    return (await fleet("importSettings", { sites, documents: [] })).sites;
  }

  async function undoSites(sites: BeforeImport["sites"]): Promise<string[]> {
    return sites.length === 0 ? [] : fleet("undoImport", { sites, documents: [] });
  }

  const writes: {
    readonly [W in SharedWriteName]: (input: WriteInput<W>) => Promise<WriteResult<W>>;
  } = {
    setAdminToken: (input) => token.set(input),
    async importSettings({ sites, documents }) {
      const before = await importSites(sites);
      try {
        return { ...(await box("importSettings", { sites: [], documents })), sites: before };
      } catch (error) {
        await undoSites(before);
        throw error;
      }
    },
    async undoImport({ sites, documents }) {
      const imported = known().filter(({ id }) => sites.some((site) => site.id === id));
      const stay = await undoSites(sites);
      try {
        await box("undoImport", { sites: [], documents });
        return stay;
      } catch (error) {
        await importSites(imported);
        throw error;
      }
    },
  };
  return (name, input) => turns.take(() => writes[name](input));
}
