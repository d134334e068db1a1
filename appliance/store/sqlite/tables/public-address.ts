import type { PublicAddressRow } from "../../rows.ts";
import type { Database } from "../database.ts";

/** Undefined before anybody has set anything. */
export function publicAddressRow(db: Database): PublicAddressRow | undefined {
  return db.prepare("SELECT settings FROM public_address").get() as PublicAddressRow | undefined;
}

export function savePublicAddress(db: Database, row: PublicAddressRow): void {
  db.prepare(
    `INSERT INTO public_address (only, settings) VALUES (1, :settings)
     ON CONFLICT DO UPDATE SET settings = :settings`,
  ).run(row);
}
