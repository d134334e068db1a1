import type { Script } from "../../sql.ts";
import type { Sql } from "./connection.ts";

/** Does the work of a script, all that it yields at once without waiting in between. */
export async function performOn<T>(sql: Pick<Sql, "all">, script: Script<T>): Promise<T> {
  for (let step = script.next([]); ; ) {
    if (step.done) return step.value;
    step = script.next(await sql.all(step.value));
  }
}
