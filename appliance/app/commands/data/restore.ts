import { NUMBERS_ELSEWHERE } from "../../../base/input/database-url.ts";
import { asOwnerOf } from "../../../base/system/owner.ts";
import {
  DatabaseRefused,
  databaseFile,
  loadRestore,
  lockDataDir,
  makeDataDir,
} from "../../../store/desk.ts";
import { DOCUMENT_KINDS } from "../../service/document-kinds.ts";
import { tryStart } from "../../service/try-start.ts";
import { command, UsageError } from "../command.ts";
import { configFrom, DATA_OPTIONS_HELP } from "../data.ts";
import { refuseOthersData } from "../others-data.ts";
import { BACKUP_OPTIONS } from "./backup.ts";

export const restore = command({
  help: `tallydeck restore FILE [--whole]: replaces the data with a backup. The service must not run.
FILE is checked first; if it is damaged or no backup of Tallydeck, the data stays as it is.
Push tokens of this machine stay as they are, and so does a database elsewhere that is named.
--whole takes of a nightly backup also what was the machine's own: push tokens, and the settings of its
public address, mail, MQTT and backups.

${DATA_OPTIONS_HELP}`,
  options: BACKUP_OPTIONS,
  async run({ values, positionals: [file, ...rest] }, terminal) {
    if (file === undefined || rest.length > 0)
      throw new UsageError("Name one file: `tallydeck restore FILE`.");
    const config = configFrom(values, terminal);
    refuseOthersData(`restore ${file}`, config, terminal);
    const { dataDir, databaseUrl } = config;
    const restoreFile = await loadRestore();
    const unlock = asOwnerOf(dataDir, () => {
      makeDataDir(dataDir);
      return lockDataDir(dataDir);
    });
    try {
      await restoreFile(file, databaseFile(dataDir), {
        kinds: DOCUMENT_KINDS,
        tryStart,
        isWhole: values.whole === true,
      });
    } catch (error) {
      const isOfFile = error instanceof DatabaseRefused && error.about.file === file;
      throw isOfFile ? error.named(file, "Name a file that `tallydeck backup` made.") : error;
    } finally {
      unlock();
    }
    const elsewhere = databaseUrl === undefined ? "" : ` ${NUMBERS_ELSEWHERE}`;
    terminal.out(`Restored ${file} into ${dataDir}.${elsewhere}`);
  },
});
