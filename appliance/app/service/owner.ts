import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { setImmediate } from "node:timers/promises";
import type { Listener } from "../../base/http/listen.ts";
import { RateLimit } from "../../base/http/rate-limit.ts";
import { RecentProblems } from "../../base/log.ts";
import { siteTokenKey } from "../../base/names.ts";
import { RootRequests } from "../../base/system/root-requests.ts";
import { madeAt, version } from "../../base/system/version.ts";
import { thisNetwork } from "../../box/board.ts";
import type { DiskWatch } from "../../box/disk/disk-watch.ts";
import { keptLogIn } from "../../box/kept-log.ts";
import { MachineSwitch } from "../../box/machine-settings.ts";
import { powerSwitch } from "../../box/power.ts";
import { Presence } from "../../box/presence.ts";
import { SetupCode } from "../../box/setup-code.ts";
import { hasTunnel, TunnelSwitch } from "../../box/tunnel.ts";
import { vitalsOf } from "../../box/vitals.ts";
import { type ControlParts, createControl } from "../../control/app.ts";
import type { UpdateSource } from "../../control/routes/box/update.ts";
import { RULES } from "../../control/routes/decks/decks.ts";
import { Events } from "../../control/routes/events.ts";
import { type SessionParts, WRONG_TOKENS } from "../../control/routes/session.ts";
import { LongPolls } from "../../control/senders/read.ts";
import { SESSIONS, Sessions } from "../../control/sessions.ts";
import { Actions } from "../../deck/actions/actions.ts";
import type { Decks } from "../../deck/decks.ts";
import type { StorageState } from "../../deck/face/notices.ts";
import { Channels } from "../../deck/push/channels.ts";
import { KEPT_CHANNELS } from "../../deck/push/kept-channels.ts";
import { PUSH_TOKENS, PushTokens } from "../../deck/push/tokens.ts";
import { DECKS, deckStore } from "../../deck/settings/deck-settings.ts";
import { IMAGES, Images } from "../../deck/settings/images.ts";
import { VIRTUAL_DECKS } from "../../deck/virtual-decks.ts";
import type { PhoneLinks } from "../../links/public/phone-links.ts";
import { databaseFile, Exchange, type Unusable, unusable } from "../../store/desk.ts";
import type { Warning } from "../../store/reports.ts";
import { type Box, documentsIn } from "../../store/store.ts";
import { Alarms, webhookRequest } from "../../traffic/alarms/alarms.ts";
import { LogFeed } from "../../traffic/imports/logs/feed.ts";
import { type BackupWatch, startBackups } from "./backups.ts";
import type { Closing } from "./closing.ts";
import { ControlListener } from "./control-listener.ts";
import type { Data } from "./data.ts";
import { startDigests, startMail } from "./digests.ts";
import { DOCUMENT_KINDS } from "./document-kinds.ts";
import { dashboardReads, firstReads } from "./first-reads.ts";
import { type Front, startFront } from "./front.ts";
import { startHomeAutomation } from "./home-automation.ts";
import { startMoving } from "./moving.ts";
import { SiteNumbers } from "./numbers.ts";
import { startOutgoing } from "./outgoing.ts";
import type { ServiceParts, Shared } from "./parts.ts";
import { publicParts, standingOf, type WayIn } from "./public-front.ts";
import { tryStart } from "./try-start.ts";
import { updatesOnBoard } from "./update-front.ts";

/** The parts that run before there is anything for the owner. */
interface Collecting extends Data {
  collector: Listener;
  address: WayIn;
  links: PhoneLinks;
  /** Undefined where the system is not ours. */
  updates: UpdateSource | undefined;
  backupWatch: BackupWatch;
  /** To be called when the data turns out to be unusable. */
  onUnusable: (why: Unusable) => void;
  /** To be called when the data is that of another machine, with all that is its own. */
  onReplaced: () => void;
  /** The problems that the box has now. */
  warnings: () => readonly Warning[];
  /** Undefined where the kernel tells nothing of a disk. */
  disk: DiskWatch | undefined;
}

/** Everything for the owner: sign-in, push, decks, and the Web UI. */
export async function startOwner(
  parts: ServiceParts,
  shared: Shared,
  closing: Closing,
  collecting: Collecting,
): Promise<{ control: Listener; decks: Decks; channels: Channels }> {
  const { config, clock } = parts;
  const { store, readSessions, address, links, updates, backupWatch } = collecting;
  const { box, numbers } = store;
  const startedAt = clock.monotonic();
  const listener = new ControlListener(shared.stages.control, config.adminOpen);
  const session = await startSessions(parts, shared, closing, collecting);
  // Reads that a session opened end when its owner signs out.
  closing.add(session.sessions.ended.on((id) => readSessions.endOf(id)));
  const push = await startPush(parts, shared, closing, box);
  const { outgoing, origins } = await startOutgoing(parts, shared, closing, box);
  const alarms = new Alarms({
    numbers,
    clock,
    send: (url, alarm) => outgoing.send(webhookRequest(url, alarm)),
  });
  closing.add(() => alarms.close());
  const siteNumbers = new SiteNumbers(numbers, clock, alarms);
  closing.add(() => siteNumbers.close());
  const images = new Images(documentsIn(box, IMAGES));
  await images.load();
  const machine =
    config.machineDir === "" ? undefined : new MachineSwitch(new RootRequests(config.machineDir));
  const presence =
    machine &&
    new Presence({
      clock,
      randomInt: shared.random.int,
      change: (change) => machine.change(change),
    });
  if (presence !== undefined) closing.add(() => presence.close());
  const front = await startFront(parts, closing, {
    code: session.code,
    isOpen: () => listener.isOpen(),
    store: deckStore(documentsIn(box, DECKS), RULES),
    addedDecks: documentsIn(box, VIRTUAL_DECKS),
    channels: push.channels,
    icons: shared.icons,
    images,
    numbers: siteNumbers,
    storage: () => storageState(collecting.warnings()),
    publicAddress: standingOf(address),
    updates: updates && updatesOnBoard(updates, clock),
    reset: shared.reset,
    backups: backupWatch,
    presence,
  });
  const actions = new Actions({
    clock,
    log: parts.log,
    outgoing,
    decks: front.decks,
    channels: push.channels,
  });
  closing.add(() => actions.close());
  const home = await startHomeAutomation(parts, shared, closing, {
    ...push,
    store,
    numbers: siteNumbers,
    alarms,
    front,
  });
  // Event streams and what sends mail close before it, since the listener waits for its answers.
  closing.add(() => listener.close());
  const mail = await startMail(parts, closing, box);
  const digests = await startDigests(parts, shared, closing, {
    ...{ store, outgoing, mail, alarms, channels: push.channels, id: home.box },
  });
  const exchange = exchangeOf(parts, box);
  const backups = await startBackups(parts, closing, {
    ...{ store, exchange, watch: backupWatch, id: home.box },
    // Another machine of the same name may have changed what the network calls this one.
    name: () =>
      machine?.settings?.hostname ?? (parts.network ?? thisNetwork(config.nameFile)).name(),
  });
  const owned = aboutData(parts, collecting, {
    ...{ exchange, decks: front.decks, images, machine },
  });
  // Its downloads, too, end before the listener.
  const moving = await startMoving(parts, shared, closing, store);
  const events = new Events({
    ...push,
    clock,
    decks: front.decks,
    sessions: session.sessions,
    address,
    updates,
  });
  closing.add(() => events.close());
  const polls = new LongPolls({ channels: push.channels, clock });
  closing.add(() => polls.close());
  const feed = new LogFeed({
    ...{ zone: () => numbers.zone, now: () => clock.now(), randomBytes: shared.random.bytes },
    pause: () => setImmediate(),
  });
  const control = await listener.show(
    createControl({
      ...aboutBox(parts, collecting, { front, listener, startedAt }),
      ...owned,
      backups: {
        ...{ ...backups, folder: config.backupDir, data: owned.data, id: home.box },
        isNew: () => numbers.ready && numbers.directory.sites.length === 0,
      },
      log: parts.log,
      pages: shared.pages,
      door: {
        client: shared.client,
        sessions: session.sessions,
        names: shared.names,
        isOpen: () => listener.isOpen(),
      },
      session,
      decks: front.decks,
      slots: { decks: front.decks, origins },
      starts: { decks: front.decks, channels: push.channels, numbers },
      events: { events, sessions: session.sessions },
      push: { ...push, decks: front.decks, client: shared.client, clock, polls, numbers, feed },
      origins,
      images: { images, decks: front.decks },
      activity: { numbers, clock, alarms },
      alarms: { numbers, alarms, origins },
      digest: { numbers, clock, digests, origins },
      ...moving,
      mqtt: home,
      mail,
      public: publicParts(address, links, clock),
      update: updates === undefined ? {} : { updates },
      reset: aboutReset(parts, shared, updates),
      machine: { ...(machine && { machine }), ...(presence && { presence }) },
      privacy: { numbers, clock, config, address, isTunnelled: hasTunnel },
      health: {
        version: version(),
        clock,
        decks: front.decks,
        store,
        ...(updates && { updates }),
      },
      sites: {
        numbers,
        declared: session.declared,
        collectorPort: () => collecting.collector.port,
      },
      dashboard: {
        sessions: session.sessions,
        makeCode: (session) => readSessions.makeCode(session),
      },
    }),
  );
  front.board.ready(control);
  shared.reset?.followRoot();
  return { control, decks: front.decks, channels: push.channels };
}

/** The sessions, and the parts that signing in takes. */
async function startSessions(
  { config, clock }: ServiceParts,
  { client, random }: Shared,
  closing: Closing,
  { store, sites }: Data,
): Promise<SessionParts> {
  const sessions = await Sessions.open({
    documents: documentsIn(store.box, SESSIONS),
    numbers: store.numbers,
    clock,
    randomBytes: random.bytes,
  });
  closing.add(() => sessions.close());
  const code = new SetupCode({ clock, randomInt: random.int, needed: () => !sites.hasAdmin });
  closing.add(
    () => code.close(),
    store.numbers.directoryChanged.on(() => code.changed.emit()),
  );
  if (existsSync(config.showCodeFile)) code.show();
  return {
    sessions,
    code,
    admin: {
      get exists() {
        return sites.hasAdmin;
      },
      matches: (token) => sites.isAdmin(token),
    },
    client,
    wrongTokens: new RateLimit(clock, WRONG_TOKENS),
    store,
    declared: {
      adminToken: config.adminToken !== undefined,
      badge: (id) => config.badgeSites.includes(id),
      siteToken: (id) => config.siteTokens.has(siteTokenKey(id)),
    },
    clock,
  };
}

async function startPush(
  { clock, pushed = [] }: ServiceParts,
  { random, icons }: Shared,
  closing: Closing,
  box: Box,
): Promise<{ channels: Channels; tokens: PushTokens }> {
  const channels = await Channels.open({
    clock,
    documents: documentsIn(box, KEPT_CHANNELS),
    icons,
  });
  closing.add(() => channels.close());
  for (const { channel, ...push } of pushed) channels.set(channel, { ...push, ttl: 0 });
  const tokens = await PushTokens.open({
    documents: documentsIn(box, PUSH_TOKENS),
    clock,
    randomBytes: random.bytes,
  });
  closing.add(() => tokens.close());
  return { channels, tokens };
}

/** The data as a whole: out, in, and back. */
function aboutData(
  { config, clock, log }: ServiceParts,
  { store, onUnusable, onReplaced }: Collecting,
  {
    exchange,
    decks,
    images,
    machine,
  }: { exchange: Exchange; decks: Decks; images: Images; machine: MachineSwitch | undefined },
): Pick<ControlParts, "data" | "settings"> {
  const { box } = store;
  const reloadAfterRestore = async (isWhole: boolean) => {
    if (isWhole) return onReplaced();
    try {
      await firstReads(box, databaseFile(config.dataDir));
      await images.load();
      await decks.setUp.changes.reload();
    } catch (error) {
      const why = unusable(error);
      if (why !== undefined) onUnusable(why);
      throw error;
    }
    void box.cameUp(() => dashboardReads(store, clock));
  };
  const takeName = async (hostname: string) => {
    // The machine is the other one in all else: its owner can name it, too.
    await machine
      ?.takeName(hostname)
      .catch((err) => log.warn({ err }, "Root cannot be told of the name"));
  };
  return {
    settings: { clock, store, decks },
    data: { clock, exchange, reloadAfterRestore, takeName },
  };
}

function exchangeOf({ config, chores }: ServiceParts, box: Box): Exchange {
  return new Exchange(config.dataDir, {
    kinds: DOCUMENT_KINDS,
    space: () => box.space(),
    tryStart: (copy) => tryStart(copy, chores),
    processes: chores,
    replaceFile: (replace) => box.replaceFile(replace),
  });
}

/** The parts for facts about the box, and for setting its time. */
function aboutBox(
  {
    config: { powerDir, keptLogFile, tunnelDir, wifiNameFile },
    clock,
    timekeeper,
    problems = new RecentProblems(),
    vitals = () => vitalsOf(wifiNameFile),
  }: ServiceParts,
  { store, collector, address, updates, warnings, disk }: Collecting,
  { front, listener, startedAt }: { front: Front; listener: ControlListener; startedAt: number },
): Pick<ControlParts, "diagnostics" | "clock" | "box" | "tunnel" | "wifi" | "keptLog"> {
  const { board, decks, timeZone } = front;
  const made = madeAt();
  const keptLog = keptLogIn(keptLogFile);
  return {
    keptLog,
    diagnostics: {
      clock,
      decks,
      store,
      problems,
      address,
      updates,
      warnings,
      version: version(),
      made,
      startedAt,
      connections: () => ({ collector: collector.connections, control: listener.connections }),
    },
    clock: { believe: (now, confirmed) => timekeeper?.believe(now, confirmed) },
    box: {
      clock,
      version: version(),
      made,
      store,
      timeZone,
      warnings,
      addresses: () => ({ number: board.address() ?? null, name: board.addressByName() ?? null }),
      vitals,
      disk: () => disk?.figures(),
      logKeptAt: () => keptLog.keptAt(),
      ...(powerDir !== "" && { power: powerSwitch(powerDir) }),
    },
    tunnel: { ...(tunnelDir !== "" && { tunnel: new TunnelSwitch(new RootRequests(tunnelDir)) }) },
    wifi: { ...(front.wifi && { wifi: front.wifi }) },
  };
}

function aboutReset(
  { config, network = thisNetwork(config.nameFile) }: ServiceParts,
  { reset }: Shared,
  updates: UpdateSource | undefined,
): ControlParts["reset"] {
  return {
    ...(reset && { reset }),
    name: () => (network.name() ?? hostname()).replace(/\.local$/, ""),
    isUpdating: () => {
      const view = updates?.view();
      return view !== undefined && (view.progress !== null || view.mode === "trial");
    },
  };
}

function storageState(warnings: readonly Warning[]): StorageState | undefined {
  if (warnings.includes("storage_unavailable")) return "stuck";
  if (warnings.includes("storage_failing")) return "failing";
  return warnings.includes("storage_full") ? "full" : undefined;
}
