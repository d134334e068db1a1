import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import type { Day } from "../../base/calendar.ts";
import { DayZone, UTC_DAYS } from "../../base/day-zone.ts";
import type { Config } from "../../config/config.ts";
import {
  type Desk,
  databaseFile,
  openToChange,
  openToLook,
  type SiteRecord,
} from "../../store/desk.ts";
import { CommandFailed, type Terminal } from "./command.ts";
import { databaseOf, noSite, siteMeant, toType } from "./data.ts";

/**
 * Refuses data that this command cannot use, in a folder or in a database.
 * @param words the words of the command, without its options
 * @throws {ConfigRefused | CommandFailed}
 */
export async function checkData(
  words: readonly string[],
  config: Config,
  terminal: Terminal,
): Promise<void> {
  const database = await databaseOf(config);
  if (database === undefined) refuseOthersData(words.join(" "), config, terminal);
}

/** One site, and the day there by the zone of its data. */
interface SiteFound {
  readonly desk: Desk;
  readonly site: SiteRecord;
  readonly zone: DayZone;
  readonly today: Day;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Opens the data for work on one site, and closes it afterwards.
 * @param words the words of the command, without its options
 * @param asked the id of the site, undefined for the only one; and whether the work changes anything
 * @throws {ConfigRefused | CommandFailed | UsageError} also where there is no site
 */
export async function onSite(
  words: readonly string[],
  { id, changes = false }: { id: string | undefined; changes?: boolean },
  { config, terminal }: { config: Config; terminal: Terminal },
  work: (found: SiteFound) => Promise<void>,
): Promise<void> {
  await checkData(words, config, terminal);
  const desk = changes ? await openToChange(config) : await openToLook(config);
  if (desk === undefined) throw new CommandFailed(await noSite(config, terminal));
  try {
    const directory = await desk.directory();
    if (directory.sites.length === 0) throw new CommandFailed(await noSite(config, terminal));
    const site = siteMeant(directory, id);
    const zone = new DayZone(directory.dayZone ?? UTC_DAYS);
    const now = terminal.now();
    await work({ desk, site, zone, today: zone.today(now), now });
  } finally {
    await desk.close();
  }
}

/**
 * Refuses a data folder that this user may not read, which would look like one without data.
 * @param words the words after the program's name, to be typed again
 * @throws {CommandFailed} which names the user who may
 */
export function refuseOthersData(words: string, { dataDir }: Config, terminal: Terminal): void {
  const path = [dataDir, databaseFile(dataDir)].find(isForOthers);
  if (path === undefined) return;
  const owner = ownerOf(path);
  const how = owner === undefined || owner === "root" ? "sudo" : `sudo -u ${owner}`;
  throw new CommandFailed(
    `This user, ${nameOf(process.getuid?.())}, may not read ${path}${owner === undefined ? "" : `, which is for ${owner}`}. Run it as who may: ${how} ${toType(words, { dataDir }, terminal)}`,
  );
}

function isForOthers(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    if (statSync(path).isDirectory()) accessSync(path, constants.X_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EACCES";
  }
}

/** Undefined where the folder around it may not be read either. */
function ownerOf(path: string): string | undefined {
  try {
    return nameOf(statSync(path).uid);
  } catch {
    return undefined;
  }
}

/** A user as `sudo -u` takes it. */
function nameOf(uid: number | undefined): string {
  try {
    if (uid === process.getuid?.()) return userInfo().username;
    const users = readFileSync("/etc/passwd", "utf8").split("\n");
    const [name] = users.map((line) => line.split(":")).find(([, , id]) => id === `${uid}`) ?? [];
    if (name !== undefined) return name;
  } catch {
    // A user of a directory service, or of none: by number, then.
  }
  return `'#${uid}'`;
}
