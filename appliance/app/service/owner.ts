import type { Listener } from "../../base/http/listen.ts";
import { closeWith } from "../../base/tasks/closing.ts";
import { thisNetwork } from "../../box/box-notices.ts";
import type { DiskWatch } from "../../box/disk/disk-watch.ts";
import { startFront } from "../../box/front.ts";
import { createControl, Routes } from "../../control/frame.ts";
import { startMoving } from "../../control/moving/moving.ts";
import { startBackups } from "../../control/routes/box/backups.ts";
import { startFacts } from "../../control/routes/box/facts.ts";
import { startMachine } from "../../control/routes/box/machine.ts";
import { startMail } from "../../control/routes/box/mail.ts";
import { startHomeAutomation } from "../../control/routes/box/mqtt.ts";
import { showWayIn, type WayIn } from "../../control/routes/box/public-address.ts";
import { startTunnel } from "../../control/routes/box/tunnel.ts";
import type { UpdateSource } from "../../control/routes/box/update.ts";
import { startDeckRoutes } from "../../control/routes/decks/deck-edits.ts";
import { keptDecks } from "../../control/routes/decks/decks.ts";
import { startEvents } from "../../control/routes/events.ts";
import { startOutgoing } from "../../control/routes/origins.ts";
import { startPlaces } from "../../control/routes/places.ts";
import { startSessions } from "../../control/routes/session.ts";
import { startAlarms } from "../../control/routes/sites/site-alarms.ts";
import { startDigests } from "../../control/routes/sites/site-digest.ts";
import { startSites } from "../../control/routes/sites/site-setting.ts";
import { startPush, startSenders } from "../../control/senders/senders.ts";
import { SiteNumbers } from "../../control/site-numbers.ts";
import type { BackupWatch } from "../../control/standing/backup-watch.ts";
import type { PlaceWatch } from "../../control/standing/place-watch.ts";
import { standings } from "../../control/standing/standings.ts";
import { Actions } from "../../deck/actions/actions.ts";
import type { Decks } from "../../deck/decks.ts";
import { qrCode } from "../../deck/face/qr.ts";
import type { Channels } from "../../deck/push/channels.ts";
import type { PhoneLinks } from "../../links/public/phone-links.ts";
import type { Unusable } from "../../store/desk.ts";
import type { Warning } from "../../store/reports.ts";
import { ControlListener } from "./control-listener.ts";
import type { Data } from "./data.ts";
import type { Context } from "./parts.ts";
import { startWholeData } from "./whole-data.ts";

/** The parts that run before there is anything for the owner. */
interface Collecting extends Omit<Context, "updates" | "disk">, Data {
  collector: Listener;
  address: WayIn;
  links: PhoneLinks;
  /** Undefined where the system is not ours. */
  updates: UpdateSource | undefined;
  backupWatch: BackupWatch;
  placeWatch: PlaceWatch;
  onUnusable: (why: Unusable) => void;
  onReplaced: () => void;
  warnings: () => readonly Warning[];
  /** Undefined where the kernel tells nothing of a disk. */
  disk: DiskWatch | undefined;
}

/** Everything for the owner, part by part: sign-in, push, decks, and the Web UI. Each adds its routes, and its end. */
export async function startOwner(
  collecting: Collecting,
): Promise<{ control: Listener; routes: Routes; decks: Decks; channels: Channels }> {
  const { config, clock, log, ends, store, client, names, pages, icons, reset } = collecting;
  const { numbers } = store;
  const listener = new ControlListener(collecting.stages.control, config.adminOpen);
  const isOpen = () => listener.isOpen();
  const routes = new Routes();
  const network = collecting.network ?? thisNetwork(config.nameFile);
  const context = { ...collecting, network, routes, listener, startedAt: clock.monotonic() };

  const { sessions, code, declared } = await startSessions(context);
  const push = await startPush(context);
  const sending = await startOutgoing(context);
  const alarms = startAlarms({ ...context, ...sending });
  const siteNumbers = closeWith(ends, new SiteNumbers(numbers, alarms));
  const kept = await keptDecks(store.local);
  const ofMachine = startMachine(context);
  const front = await startFront(context, {
    code,
    isOpen,
    icons,
    reset,
    ...kept,
    ...standings(context),
    channels: push.channels,
    numbers: siteNumbers,
    presence: ofMachine.presence,
  });
  const { board, decks } = front;
  const { images } = kept;
  const started = { ...context, ...push, ...sending, ...ofMachine, ...front };
  const shown = { ...started, front, images, alarms };
  closeWith(ends, new Actions(shown));
  const { box: id } = await startHomeAutomation({ ...shown, siteNumbers });
  // Event streams and what sends mail close before it, since the listener waits for its answers.
  closeWith(ends, listener);
  const mail = await startMail(context);
  await startDigests({ ...shown, mail, id });
  const whole = startWholeData(shown);
  // Another machine of the same name may have changed what the network calls this one.
  const name = () => ofMachine.machine?.settings?.hostname ?? network.name();
  await startBackups({ ...shown, ...whole, id, name });
  await startMoving(context);
  startEvents({ ...shown, sessions });
  startSenders(shown);
  startDeckRoutes(shown);
  startFacts(shown);
  startTunnel(context);
  startPlaces({ ...context, ...sending, code: qrCode });
  showWayIn({ ...context, code: qrCode });
  startSites({ ...context, declared });
  const door = { client, sessions, names, isOpen };
  const control = await listener.show(createControl(routes, { log, pages, door }));
  board.ready(control);
  reset?.followRoot();
  return { control, routes, decks, channels: push.channels };
}
