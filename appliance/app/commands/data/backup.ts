import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { NUMBERS_ELSEWHERE } from "../../../base/input/database-url.ts";
import { databaseFile, loadBackUp, wholeKinds } from "../../../store/desk.ts";
import { DOCUMENT_KINDS } from "../../service/document-kinds.ts";
import { CommandFailed, command, switches, UsageError } from "../command.ts";
import { configFrom, DATA_OPTIONS, DATA_OPTIONS_HELP, quoted } from "../data.ts";
import { refuseOthersData } from "../others-data.ts";

/** The options of a backup and of a restore. */
export const BACKUP_OPTIONS = { ...DATA_OPTIONS, ...switches("whole") };

export const backup = command({
  help: `tallydeck backup FILE [--whole]: copies sites, counts, surveys, hashes of read tokens and settings of decks
to FILE, as of one moment. Push tokens stay with the machine. Where a database is named, sites and counts
are there and not in FILE: pg_dump copies them.
--whole copies also what is the machine's own, as nightly backups do: push tokens, and the settings of
its public address, mail, MQTT and backups with their passwords. Keep such a FILE as you keep those.
The service may run. The copy is checked before it takes its name; a FILE that exists is replaced.

${DATA_OPTIONS_HELP}`,
  options: BACKUP_OPTIONS,
  async run({ values, positionals: [file, ...rest] }, terminal) {
    if (file === undefined || rest.length > 0)
      throw new UsageError("Name one file: `tallydeck backup FILE`.");
    const config = configFrom(values, terminal);
    refuseOthersData(`backup ${file}`, config, terminal);
    const { dataDir, databaseUrl } = config;
    const elsewhere = databaseUrl === undefined ? "" : ` ${NUMBERS_ELSEWHERE}`;
    const source = databaseFile(dataDir);
    if (!existsSync(source)) throw new CommandFailed(`There is no data in ${dataDir}.${elsewhere}`);
    const folder = dirname(file);
    if (!existsSync(folder))
      throw new CommandFailed(
        `There is no folder ${folder} to back up to. Make it first: mkdir -p ${quoted(folder)}`,
      );
    const backUp = await loadBackUp();
    await backUp(source, file, values.whole ? wholeKinds(DOCUMENT_KINDS) : DOCUMENT_KINDS);
    terminal.out(`Backed up to ${file}.${elsewhere}`);
  },
});
