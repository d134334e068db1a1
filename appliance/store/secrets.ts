import { rowsIn, type Steps } from "./sql.ts";

/** A secret of a database, made once by whoever comes first. */
export function* databaseSecret(name: string, make: () => Uint8Array): Steps<Uint8Array> {
  const find = () => rowsIn<{ value: string }>("SELECT value FROM meta WHERE key = $1", [name]);
  const [known] = yield* find();
  if (known !== undefined) return Buffer.from(known.value, "hex");
  yield* rowsIn("INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING", [
    name,
    Buffer.from(make()).toString("hex"),
  ]);
  const [made] = yield* find();
  return Buffer.from(made?.value ?? "", "hex");
}
