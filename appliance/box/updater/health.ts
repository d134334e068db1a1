import { hasFields, type Is, isListOf, isObject, isText } from "../../base/input/json.ts";
import type { ServiceHealth } from "../../base/release/health.ts";
import { endOfService, NO_START, REFUSED_SETTINGS } from "../../base/release/service-end.ts";

/** Facts of systemd about `tallydeck.service`. */
interface UnitFacts {
  /** `active`, `activating`, `failed`, `inactive`, … */
  readonly state: string;
  /** The reason of its last end: `success`, `exit-code`, `watchdog`, `signal`, … */
  readonly result: string;
  readonly exitStatus: number;
  /** The number of automatic restarts. */
  readonly restarts: number;
}

interface InterfaceFacts {
  readonly name: string;
  /** Whether it has an address that others can reach, not only of the link. */
  readonly hasAddress: boolean;
  /** Whether it waits for a cable; never true for radio. */
  readonly isUnplugged: boolean;
  /** Whether it is hardware with a connected cable or radio. Older releases did not note it. */
  readonly hasLink?: boolean;
  /** The device on the USB bus, as in `devices`, if it can be unplugged. */
  readonly usb?: string;
}

/** Facts about a box's health at one moment. Another release may have written them: see `factsFrom`. */
export interface HealthFacts {
  readonly service: UnitFacts;
  /** The version that answers at the collector's port; null when nothing does. */
  readonly collector: string | null;
  /** The service's word about itself at the Web UI's port; null when it says nothing. */
  readonly control: ServiceHealth | null;
  /**
   * A certificate is shown at port 443. An older release that noted the facts may not have looked.
   */
  readonly tls?: boolean;
  /** The data partition is mounted, and takes writes. */
  readonly dataIsWritable: boolean;
  /** The settings of the card were applied. Without them the service may count elsewhere. */
  readonly settingsAreApplied: boolean;
  /** Names of units that failed. */
  readonly failed: readonly string[];
  readonly interfaces: readonly InterfaceFacts[];
  readonly usb: {
    /** The number of host controllers. */
    readonly hosts: number;
    /** All devices on USB, like `0fd9:006d`, each as many times as it is plugged in. */
    readonly devices: readonly string[];
  };
}

export interface HealthWatch {
  readonly look: () => Promise<HealthFacts>;
  /** Milliseconds since the machine started; never steps. */
  readonly uptime: () => number;
}

const SERVICE = "tallydeck.service";
/** Alone, it may be no fault of the release. */
export const AWAY = "The database elsewhere (DATABASE_URL) takes nothing.";
const SILENT = "The service runs, and answers on neither of its ports.";

/**
 * The reasons why a box with `version` on trial is not healthy, in sentences.
 * @param before the facts before the restart. A fault of then is no reason now, where it may have other causes than
 *   the release
 */
export function whyNotWell(
  now: HealthFacts,
  { before, version }: { before: HealthFacts | undefined; version: string },
): string[] {
  const service = ofService(now.service);
  return [
    ...(now.dataIsWritable ? [] : ["The data partition cannot be written to."]),
    ...ofSettings(now, before),
    // A service that does not run makes further checks pointless.
    ...(service.length > 0
      ? service
      : [...ofPorts(now, version), ...ofTls(now, before), ...ofData(now, before)]),
    ...ofUnits(now, before),
    ...ofNetwork(now, before),
    ...(service.length > 0 ? [] : ofDecks(now, before)),
  ];
}

/**
 * The reasons why a box whose release was kept is worse off than with any other: its service does not come up, or
 * answers nobody. Settings, data, networks and decks may be at fault without the release.
 */
export function whyNotStanding({ service, collector, control }: HealthFacts): string[] {
  if (isRefused(service)) return [];
  const why = ofService(service);
  if (why.length > 0) return why;
  if (service.restarts >= MOST_RESTARTS) return ["The service stops by itself."];
  return collector === null && control === null ? [SILENT] : [];
}

/** Within the minutes after a start. */
const MOST_RESTARTS = 5;

function ofSettings(now: HealthFacts, before: HealthFacts | undefined): string[] {
  const isAsBefore = now.settingsAreApplied || before?.settingsAreApplied === false;
  return isAsBefore ? [] : ["The settings on the card could not be applied."];
}

/** Whether systemd has given up starting the service. */
export function isRefused({ state, result, exitStatus }: UnitFacts): boolean {
  return state !== "active" && result === "exit-code" && exitStatus === REFUSED_SETTINGS;
}

function ofService(service: UnitFacts): string[] {
  const { state, result } = service;
  if (state === "active") return [];
  if (result !== "success" && result !== "") return [endOfService(service)];
  return [state === "activating" ? NO_START : "The service does not run."];
}

function ofPorts({ collector, control }: HealthFacts, version: string): string[] {
  if (collector === null && control === null) return [SILENT];
  return [
    ...answerOf("The collector (port 80)", collector, version),
    ...answerOf("The Web UI (port 3000)", control?.version ?? null, version),
  ];
}

/** Reasons about TLS. Most boxes have no public address, and its loss shows in nothing else. */
function ofTls({ tls }: HealthFacts, before: HealthFacts | undefined): string[] {
  const isLost = before?.tls === true && tls !== true;
  return isLost ? ["The collector does not answer by TLS (port 443)."] : [];
}

function answerOf(who: string, answered: string | null, version: string): string[] {
  if (answered === null) return [`${who} does not answer.`];
  return answered === version ? [] : [`${who} answers as version ${answered}, not ${version}.`];
}

function ofData({ control }: HealthFacts, before: HealthFacts | undefined): string[] {
  if (control === null) return [];
  const { opened, wrote, isElsewhere } = control.store;
  if (!opened) return ["The data cannot be used by this release."];
  // A database elsewhere may have been away before, too.
  const tookNone = before?.control?.store.wrote === false;
  if (wrote || tookNone) return [];
  return [isElsewhere === true ? AWAY : "The database takes nothing."];
}

function ofUnits({ failed }: HealthFacts, before: HealthFacts | undefined): string[] {
  return failed
    .filter((unit) => unit !== SERVICE && !before?.failed.includes(unit))
    .map((unit) => `Unit ${unit} failed.`);
}

function ofNetwork(now: HealthFacts, before: HealthFacts | undefined): string[] {
  const had = (before?.interfaces ?? []).filter(({ hasAddress }) => hasAddress);
  return had
    .filter(({ name, usb }) => {
      const own = now.interfaces.find((each) => each.name === name);
      if (own === undefined) return !wasPulledOut(usb, now, before);
      return !own.isUnplugged && !own.hasAddress;
    })
    .map(({ name }) => `No address on ${name}.`);
}

/** Whether a deck was unplugged. Otherwise its driver is missing, or that of its USB controller. */
function wasPulledOut(
  usb: string | undefined,
  now: HealthFacts,
  before: HealthFacts | undefined,
): boolean {
  if (typeof usb !== "string" || before === undefined || now.usb.hosts < before.usb.hosts)
    return false;
  const pluggedIn = now.usb.devices.filter((device) => device === usb).length;
  return pluggedIn <= now.interfaces.filter((own) => own.usb === usb).length;
}

/**
 * Whether it is connected, and nothing has an address: then any release would do as well. One that is
 * connected to nothing is as its owner wants it.
 */
export function hasLostNetwork({ interfaces }: HealthFacts): boolean {
  const linked = interfaces.filter(({ hasLink }) => hasLink === true);
  return linked.length > 0 && !linked.some(({ hasAddress }) => hasAddress);
}

/** Reasons about decks. A deck that is missing on USB counts as unplugged, unless its hub or controller is missing, too. */
function ofDecks({ control, usb }: HealthFacts, before: HealthFacts | undefined): string[] {
  if (control === null || before === undefined) return [];
  const open = control.decks.filter(({ connected }) => connected);
  const missing = (before.control?.decks ?? []).filter(
    ({ id, connected }) => connected && !open.some((deck) => deck.id === id),
  );
  if (missing.length === 0) return [];
  if (usb.hosts < before.usb.hosts)
    return missing.map(({ name }) => `The deck “${name}” is gone, and a USB controller with it.`);
  return missing
    .filter(({ usb: ids }) => {
      const pluggedIn = usb.devices.filter((device) => ids.includes(device)).length;
      const inUse = open.filter((deck) => deck.usb.some((id) => ids.includes(id))).length;
      return pluggedIn > inUse;
    })
    .map(({ name }) => `The deck “${name}” is plugged in, and does not work.`);
}

/** Facts that another release may have noted; undefined where they are none. */
export function factsFrom(value: unknown): HealthFacts | undefined {
  return isFacts(value) ? (value as HealthFacts) : undefined;
}

const isList = Array.isArray as Is<readonly unknown[]>;

/** Whether it is as `ServiceHealth`. */
export const isHealth = hasFields({
  store: isObject as Is<object>,
  version: isText,
  decks: isListOf(hasFields({ id: isText, usb: isList })),
}) as Is<ServiceHealth>;

const isFacts = hasFields({
  failed: isListOf(isText),
  interfaces: isListOf(hasFields({ name: isText })),
  usb: hasFields({ hosts: (hosts) => typeof hosts === "number", devices: isList }),
  control: (control) => control === null || isHealth(control),
});
