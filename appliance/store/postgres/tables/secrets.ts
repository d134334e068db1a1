import type { Sql } from "../connection/connection.ts";

/** A secret of this database, made once by the node that comes first. */
export async function databaseSecret(
  sql: Sql,
  name: string,
  make: () => Uint8Array,
): Promise<Uint8Array> {
  const find = () => sql.rows<{ value: string }>("SELECT value FROM meta WHERE key = $1", [name]);
  const [known] = await find();
  if (known !== undefined) return Buffer.from(known.value, "hex");
  await sql.rows("INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING", [
    name,
    Buffer.from(make()).toString("hex"),
  ]);
  const [made] = await find();
  return Buffer.from(made?.value ?? "", "hex");
}
