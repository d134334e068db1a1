import assert from "node:assert/strict";
import { join } from "node:path";
import { openForWriting } from "../../appliance/store/sqlite/database.ts";
import { eachFolder } from "../helpers/folder.ts";
import { eachDatabase, sharedPostgres } from "../helpers/postgres.ts";
import { LogNode } from "./postgres/log-node.ts";

/** By table and column, `integer`, `text` or `bytes`, and `null` where it may be. */
type Schema = ReadonlyMap<string, Readonly<Record<string, string>>>;

const TYPES: Readonly<Record<string, string>> = {
  INTEGER: "integer",
  integer: "integer",
  bigint: "integer",
  TEXT: "text",
  text: "text",
  BLOB: "bytes",
  bytea: "bytes",
};

/** Columns that the other engine has none of, or has in its own way. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  // A file keeps the place to go on at, and a fleet waits for a late node.
  erased_site: ["log_n", "at"],
  // Others may take the place of a server.
  generation: ["epoch", "place"],
  // A file has one, which it does not keep.
  log: ["node"],
  // A file keeps numbers as such.
  meta: ["value"],
};
/** Tables that one engine alone has. */
const ALONE = ["lease", "node", "waiting_survey"];

/** @param columns each with `of`, `name`, `type` and `required` */
function schemaOf(columns: readonly object[]): Schema {
  const tables = Map.groupBy(
    columns as readonly Readonly<Record<"of" | "name" | "type" | "required", string>>[],
    ({ of }) => of,
  );
  return new Map(
    [...tables].map(([table, all]) => [
      table,
      Object.fromEntries(
        all
          .filter(({ name }) => !OWN[table]?.includes(name))
          .map(({ name, type, required }) => [
            name,
            `${TYPES[type] ?? type}${required ? "" : " or null"}`,
          ]),
      ),
    ]),
  );
}

describe("the tables of both engines", () => {
  const folder = eachFolder();
  const database = eachDatabase();

  it("have the same columns, so that one statement is for both", async () => {
    const db = openForWriting(join(folder(), "schema.db"));
    const file = schemaOf(
      db
        .prepare(
          `SELECT t.name AS 'of', c.name, c.type, c."notnull" OR c.pk > 0 AS required
           FROM pragma_table_list AS t JOIN pragma_table_xinfo(t.name) AS c
           WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`,
        )
        .all() as object[],
    );
    db.close();
    const server = await sharedPostgres();
    await LogNode.migrate(server.url({ database: database() }));
    const fleet = schemaOf(
      await server.sql(
        `SELECT table_name AS of, column_name AS name, data_type AS type, is_nullable = 'NO' AS required
         FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
         WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
        database(),
      ),
    );
    const names = [...new Set([...file.keys(), ...fleet.keys()])].sort();
    const alone = names.filter((name) => !file.has(name) || !fleet.has(name));
    assert.deepEqual(alone, ALONE);
    for (const name of names.filter((each) => !ALONE.includes(each)))
      assert.deepEqual(file.get(name), fleet.get(name), name);
  });
});
