import { hostReader } from "../threads/thread-host.ts";
import { openForReading } from "./database.ts";
import { SqliteReads } from "./reads.ts";

hostReader((file: string, passedOver) => new SqliteReads(openForReading(file), passedOver));
