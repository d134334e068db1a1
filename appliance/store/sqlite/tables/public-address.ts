import type { Database } from "../database.ts";

/** How the internet reaches the box; `settings` is JSON. */
interface PublicAddressRow {
  readonly settings: string;
}

/** Undefined before anybody has set anything. */
export function publicAddressRow(db: Database): PublicAddressRow | undefined {
  return db.prepare("SELECT settings FROM public_address").get() as PublicAddressRow | undefined;
}

export function savePublicAddress(db: Database, row: PublicAddressRow): void {
  db.prepare("INSERT OR REPLACE INTO public_address (only, settings) VALUES (1, :settings)").run(
    row,
  );
}
