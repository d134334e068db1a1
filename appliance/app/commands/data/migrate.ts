import { messageOf } from "../../../base/message-of.ts";
import { Refusal } from "../../../base/refusal.ts";
import { loadTables, type Migrated } from "../../../store/desk.ts";
import { CommandFailed, command, valued } from "../command.ts";
import { configFrom, namedDatabase } from "../data.ts";

export const migrateCommand = command({
  alone: "migrate",
  help: `tallydeck migrate: makes the tables in a PostgreSQL database, or brings them up to this version.

  --database-url URL
                   the database, as a user who may make tables (DATABASE_URL)
  --grant ROLE     lets a role of the database count and read there: all that \`tallydeck run\` and
                   \`tallydeck collect\` need
  --day-zone ZONE  the time zone whose midnight begins a day, from the next one on, for all who count
                   there (DAY_ZONE)
  --config FILE    a KEY=VALUE file with settings (CONFIG)

Where their own user may make tables, they do the same at their start.`,
  options: valued("database-url", "grant", "day-zone", "config"),
  async run({ values }, terminal) {
    const config = configFrom(values, terminal);
    const { url, shown } = await namedDatabase(
      config,
      "`tallydeck migrate` makes the tables in a PostgreSQL database",
    );
    const withTables = await loadTables();
    try {
      await withTables(url, async (tables) => {
        terminal.out(`${whatWasDone(await tables.migrate())}: ${shown}`);
        for (const said of await tables.nameZone(config.dayZone)) terminal.out(said);
        if (values.grant === undefined) return;
        await tables.grant(values.grant);
        terminal.out(`${values.grant} may count and read there.`);
      });
    } catch (error) {
      if (error instanceof Refusal) throw error;
      throw new CommandFailed(`Nothing was changed at ${shown}: ${messageOf(error)}.`);
    }
  },
});

function whatWasDone({ from, to }: Migrated): string {
  if (from === to) return `The tables are up to date (schema ${to})`;
  return from === 0
    ? `Made the tables (schema ${to})`
    : `Raised the tables from schema ${from} to ${to}`;
}
