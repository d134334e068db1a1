import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  clocksDiffer,
  DayZone,
  UTC_DAYS,
  type ZoneSetting,
  zoneAhead,
} from "../../base/day-zone.ts";
import { createLog } from "../../base/log.ts";
import { listenerUrl, urlOf } from "../../base/ports.ts";
import { Refusal } from "../../base/refusal.ts";
import type { UpdaterState } from "../../base/release/updater-state.ts";
import { RootRequests } from "../../base/system/root-requests.ts";
import { version } from "../../base/system/version.ts";
import type { Diagnostics } from "../../control/wire.ts";
import { Keys } from "../../links/public/keys.ts";
import { PUBLIC_ADDRESS } from "../../links/public/public-address.ts";
import type { PublicSettings } from "../../links/public/settings.ts";
import { RootUpdater } from "../../links/updates/root.ts";
import {
  type Collector,
  databaseFile,
  documentsOf,
  isClaimed,
  isLow,
  openBoxToLook,
  openToLook,
  type Place,
  type Space,
  spaceOf,
  storageProblem,
} from "../../store/desk.ts";
import { homesOf, type KnownHome } from "../../traffic/places/homes.ts";
import { Answered, command, outJson, switches, type Terminal } from "./command.ts";
import { configFrom, DATA_OPTIONS, DATA_OPTIONS_HELP, databaseOf, toStart } from "./data.ts";
import { refuseOthersData } from "./others-data.ts";
import { wasPlace } from "./place-mark.ts";
import { type RuntimeInfo, runtimeInfoOf } from "./runtime-info.ts";
import { homeText } from "./sites/place.ts";
import { type ListedPlace, listedPlaces, placeText } from "./sites/places.ts";
import { sizeText } from "./size-text.ts";
import { systemText } from "./update/update-text.ts";

const PATIENCE_MS = 20_000;
/** The exit code where no service runs, as that of system services is. */
const NOT_RUNNING = 3;

const WARNINGS: Readonly<Record<Diagnostics["warnings"][number], string>> = {
  storage_full: "little space is left: new pages and sources are counted as (other)",
  storage_unavailable: "nothing can be stored now: counts wait in memory",
  storage_failing: "the card or disk reports errors: make a backup, and take another one",
  clock_not_set: "the clock is not set: counts wait for it",
  certificate_expires: "the certificate of the public address ends soon and could not be renewed",
  unreached: "visitors do not reach the public address",
  update_failed: "an update came to nothing: `tallydeck update status` says why",
  backup_overdue: "there was no good backup for a week: the Web UI says why, under Machine",
  place_silent: "nothing comes from a place: the Web UI says why, under Machine, Places",
};

export const status = command({
  alone: "status",
  help: `tallydeck status: whether the service runs, where it is found, and what it works with. Exits with 3 where
none runs on this data.

  --json           the same as JSON, sizes in bytes
${DATA_OPTIONS_HELP}

Decks and warnings are the service's own where its Web UI asks for no sign-in; else they are what this
machine shows. \`tallydeck diagnose\` prints more, as JSON.`,
  options: { ...DATA_OPTIONS, ...switches("json") },
  async run({ values }, terminal) {
    const config = configFrom(values, terminal);
    refuseOthersData("status", config, terminal);
    const { dataDir, publicAddress } = config;
    const database = await databaseOf(config);
    const found = runtimeInfoOf(dataDir);
    const isAtPlace = found === undefined ? wasPlace(dataDir) : found.control === undefined;
    const told = found && (await diagnosticsOf(found));
    const kept = await contentsOf(config);
    const space = existsSync(dataDir) ? await spaceOf(dataDir) : undefined;

    const system = config.root && new RootUpdater(new RootRequests(config.root.update)).state();
    const facts: Facts = {
      system,
      found,
      kept,
      space,
      dataDir,
      database,
      isPlace: isAtPlace,
      decks: told ? told.decks.map(deckOf) : isAtPlace ? [] : await pluggedIn(),
      warnings: [...kept.problems, ...warnings(told, space)],
      address: publicText(publicAddress ?? kept.publicAddress, dataDir, told),
      now: terminal.now(),
      days: daysText(kept.dayZone, terminal),
    };
    if (values.json) outJson(terminal, jsonOf(facts));
    else {
      terminal.out(standing(dataDir, found, kept.collectors, terminal));
      for (const [name, value] of rowsOf(facts)) terminal.out(`  ${name.padEnd(10)} ${value}`);
    }
    if (found === undefined && !isClaimed(dataDir)) throw new Answered(NOT_RUNNING);
  },
});

interface Facts {
  /** Whether a place runs, or ran last, which has no Web UI and no decks. */
  readonly isPlace: boolean;
  readonly found: RuntimeInfo | undefined;
  readonly kept: Contents;
  readonly space: Space | undefined;
  readonly dataDir: string;
  readonly database: string | undefined;
  readonly system: UpdaterState | undefined;
  /** Undefined where USB cannot be read. */
  readonly decks: readonly string[] | undefined;
  readonly warnings: readonly string[];
  /** Epoch milliseconds. */
  readonly now: number;
  /** The public one, in words. */
  readonly address: string;
  /** The zone of days, in words; empty where it is that of this machine and stays so. */
  readonly days: string;
}

function rowsOf({ system, found, kept, space, dataDir, database, ...facts }: Facts) {
  const rows: [string, string][] = [
    ...(system === undefined ? [] : [["System", systemText(system)] as [string, string]]),
    ...(found === undefined ? [] : addresses(found)),
    ["Sites", listed(kept.sites)],
    ...(facts.days === "" ? [] : [["Days", facts.days] as [string, string]]),
    ...(facts.isPlace ? [] : [["Decks", deckText(facts.decks)] as [string, string]]),
    ["Warnings", listed(facts.warnings, "; ")],
    ["Public", facts.address],
    ["Disk", space === undefined ? "no data yet" : diskOf(space, dataDir)],
    ["Data", dataDir],
  ];
  if (kept.homes.length > 0) rows.push(["Fetched by", listed(kept.homes.map(homeText), "; ")]);
  else if (facts.isPlace) rows.push(["Fetched by", "nobody yet: `tallydeck place invite`"]);
  if (kept.places.length > 0)
    rows.push([
      "Places",
      listed(
        kept.places.map((place) => placeText(place, facts.now)),
        "; ",
      ),
    ]);
  if (database !== undefined)
    rows.push(["Numbers", database], ["Collectors", listed(kept.collectors.map(collectorOf))]);
  return rows;
}

function jsonOf({ system, found, kept, space, dataDir, database, ...facts }: Facts): object {
  const [dashboard, webUi] = found === undefined ? [] : addresses(found).map(([, url]) => url);
  return {
    running: found !== undefined,
    version: found?.version ?? version(),
    ...(system && { system: systemText(system) }),
    ...(found && { dashboard, webUi }),
    sites: kept.sites,
    dayZone: kept.dayZone.zone,
    decks: facts.decks ?? null,
    warnings: facts.warnings,
    publicAddress: facts.address,
    disk: space === undefined ? null : { ...space, used: usedBy(dataDir) },
    data: dataDir,
    homes: kept.homes.map(({ body: { name, askedAt } }) => ({ name, askedAt })),
    places: kept.places.map(({ name, answeredAt, lie }) => ({ name, answeredAt, lie })),
    ...(database !== undefined && { numbers: database, collectors: kept.collectors }),
  };
}

function standing(
  dataDir: string,
  found: RuntimeInfo | undefined,
  collectors: readonly Collector[],
  terminal: Terminal,
): string {
  if (found !== undefined) return `Tallydeck ${found.version} is running.`;
  if (isClaimed(dataDir)) return "Tallydeck is starting, stopping, or busy with a restore.";
  const alive = collectors.filter(isAlive).length;
  if (alive > 0)
    return `Tallydeck itself does not run here. ${alive === 1 ? "One collector counts" : `${alive} collectors count`} into the database.`;
  return `Tallydeck ${version()} is not running. Start it: ${toStart(dataDir, terminal)}`;
}

function deckText(decks: Facts["decks"]): string {
  return decks ? listed(decks) : "this machine's USB cannot be read";
}

function addresses({ collector, control }: RuntimeInfo): [string, string][] {
  const pages = listenerUrl(collector, ["localhost"]);
  return [
    ["Dashboard", `${pages}/dashboard`],
    ...(control ? [["Web UI", `${listenerUrl(control, ["localhost"])}/`] as [string, string]] : []),
  ];
}

/** The service's own diagnostics; undefined where it requires a sign-in, or does not answer. */
async function diagnosticsOf({ control }: RuntimeInfo): Promise<Diagnostics | undefined> {
  if (control === undefined) return undefined;
  const url = listenerUrl(control, ["127.0.0.1"]) ?? urlOf("127.0.0.1", control.port);
  try {
    const response = await fetch(`${url}/api/diagnostics`, {
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return response.ok ? ((await response.json()) as Diagnostics) : undefined;
  } catch {
    return undefined;
  }
}

/** The seconds after which a collector counts as gone; each reports every five seconds. */
const ALIVE_S = 30;

function isAlive({ seconds }: Collector): boolean {
  return seconds <= ALIVE_S;
}

function collectorOf(collector: Collector): string {
  const { name, seconds, settles } = collector;
  if (!isAlive(collector)) return `${name} (not heard of for ${Math.ceil(seconds / 60)} min)`;
  return settles ? `${name} (settles the log)` : name;
}

interface Contents {
  /** The collectors that count into the same database; none where it is a file. */
  readonly collectors: readonly Collector[];
  /** The homes that fetch what is counted here. */
  readonly homes: readonly KnownHome[];
  /** The places from which is fetched. */
  readonly places: readonly ListedPlace[];
  /** Ids. */
  readonly sites: readonly string[];
  readonly dayZone: ZoneSetting;
  /** Reasons that data cannot be read. */
  readonly problems: readonly string[];
  /** The settings of the Web UI. */
  readonly publicAddress?: PublicSettings | undefined;
}

async function contentsOf(place: Place): Promise<Contents> {
  const problems: string[] = [];
  const look = async <Desk extends { close(): Promise<void> }, T>(
    open: Promise<Desk | undefined>,
    read: (desk: Desk) => Promise<T>,
  ): Promise<T | undefined> => {
    try {
      const desk = await open;
      return desk && (await read(desk).finally(() => desk.close()));
    } catch (error) {
      const problem = error instanceof Refusal ? error.message : storageProblem(error);
      if (problem === undefined) throw error;
      if (!problems.includes(problem)) problems.push(problem);
      return undefined;
    }
  };
  const [kept] =
    (await look(openBoxToLook(place.dataDir), (box) => documentsOf(box, PUBLIC_ADDRESS))) ?? [];
  const shared = await look(openToLook(place), async (desk) => ({
    directory: await desk.directory(),
    collectors: await desk.collectors(),
    homes: await homesOf(desk),
    places: await listedPlaces(desk),
  }));
  return {
    collectors: shared?.collectors ?? [],
    homes: shared?.homes ?? [],
    places: shared?.places ?? [],
    sites: (shared?.directory.sites ?? []).map(({ id }) => id),
    dayZone: shared?.directory.dayZone ?? UTC_DAYS,
    problems,
    publicAddress: kept?.body,
  };
}

function deckOf({ model, connected, virtual }: Diagnostics["decks"][number]): string {
  if (virtual) return `${model} (virtual)`;
  return connected ? model : `${model} (unplugged)`;
}

async function pluggedIn(): Promise<readonly string[] | undefined> {
  // Loading USB takes a while, and is not needed where the service answers.
  const { createDeckBus } = await import("../../deck/usb/hid.ts");
  const { pluggedModels } = await import("./devices.ts");
  const models = await pluggedModels(createDeckBus());
  return models === "no USB" ? undefined : models;
}

function warnings(told: Diagnostics | undefined, space: Space | undefined): string[] {
  if (told !== undefined) return told.warnings.map((code) => WARNINGS[code]);
  return space !== undefined && isLow(space, 0) ? [WARNINGS.storage_full] : [];
}

/** The zone of days and a change that is ahead, where a clock of this machine does not say the same. */
function daysText(setting: ZoneSetting, { now, timeZone }: Terminal): string {
  const moment = now();
  const zone = new DayZone(setting).nameAt(moment);
  const own = timeZone();
  const ahead = zoneAhead(setting, moment);
  if (ahead !== undefined) return ahead;
  return clocksDiffer(zone, own, moment) ? `those of ${zone}; clocks here show ${own}` : "";
}

/** The name of the public address, its state if the service has answered, and the end of its certificate. */
function publicText(
  settings: PublicSettings | undefined,
  dataDir: string,
  told: Diagnostics | undefined,
): string {
  const isOn = told === undefined ? settings?.enabled : told.publicAddress !== "off";
  if (!isOn) return "no public address";
  const until = new Keys({ folder: join(dataDir, "tls"), log: createLog(() => {}) }).chain()
    ?.notAfter;
  return [
    // The service may have settings that this command was not started with.
    ...(settings?.enabled ? [settings.name] : []),
    ...(told === undefined ? [] : [told.publicAddress.replaceAll("-", " ")]),
    until === undefined
      ? "no certificate yet"
      : `certificate until ${new Date(until).toISOString().slice(0, 10)}`,
  ].join(", ");
}

function diskOf({ free, total }: Space, dataDir: string): string {
  return `${sizeText(free)} of ${sizeText(total)} free, the data takes ${sizeText(usedBy(dataDir))}`;
}

/** Bytes that the data takes. */
function usedBy(dataDir: string): number {
  const file = databaseFile(dataDir);
  const used = [file, `${file}-wal`].map((name) => statSync(name, { throwIfNoEntry: false })?.size);
  return used.reduce<number>((sum, size = 0) => sum + size, 0);
}

function listed(parts: readonly string[], separator = ", "): string {
  return parts.length === 0 ? "none" : parts.join(separator);
}
