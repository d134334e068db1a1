import { hostReader } from "../threads/thread-host.ts";
import { isDamage, openForReading } from "./database.ts";
import { SqliteDb } from "./db.ts";
import { fileReads } from "./reads.ts";

hostReader((file: string, passedOver) => {
  const db = new SqliteDb(openForReading(file));
  const reads = fileReads(db, passedOver);
  return {
    read: (query, input) => reads.read(query, input),
    explain: (error) => (isDamage(error) ? { kind: "damaged", message: error.message } : undefined),
    close: () => db.close(),
  };
});
