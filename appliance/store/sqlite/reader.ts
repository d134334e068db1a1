import { hostReader } from "../threads/reader-host.ts";
import { isDamage, openForReading } from "./database.ts";
import { SqliteReads } from "./reads.ts";

hostReader((file: string, passedOver) => {
  const db = openForReading(file);
  const reads = new SqliteReads(db, passedOver);
  return {
    read: (query, input) => reads.run(query, input),
    explain: (error) => (isDamage(error) ? { kind: "damaged", message: error.message } : undefined),
    close: () => void db.close(),
  };
});
