import { join } from "node:path";
import type { Listener } from "../../base/http/listen.ts";
import { RateLimit } from "../../base/http/rate-limit.ts";
import { Signal } from "../../base/signal.ts";
import { isSameSecret, sha256 } from "../../base/system/secrets.ts";
import { version } from "../../base/system/version.ts";
import { closeWith } from "../../base/tasks/closing.ts";
import type { DiskWatch } from "../../box/disk/disk-watch.ts";
import { startFront } from "../../box/front.ts";
import { SetupCode } from "../../box/setup-code.ts";
import type { Config } from "../../config/config.ts";
import { createRescueControl, type RescueControlParts } from "../../control/routes/rescue.ts";
import { type Admin, WRONG_TOKENS } from "../../control/routes/session.ts";
import { Sessions, type SessionsOptions } from "../../control/sessions.ts";
import { updatesOnBoard } from "../../control/standing/update-standing.ts";
import type { Decks } from "../../deck/decks.ts";
import { Channels } from "../../deck/push/channels.ts";
import { Keys } from "../../links/public/keys.ts";
import { startUpdates } from "../../links/updates/start.ts";
import {
  databaseFile,
  Exchange,
  mayTakeBack,
  salvagedAdminHash,
  spaceOf,
  startAnew,
  takeBack,
  type Unusable,
} from "../../store/desk.ts";
import { EMPTY_DIRECTORY, storageUnavailable } from "../../store/store.ts";
import { createStandIn } from "../../traffic/collector/stand-in.ts";
import { ControlListener } from "./control-listener.ts";
import { DOCUMENT_KINDS } from "./document-kinds.ts";
import type { Context } from "./parts.ts";
import { type CollectorListeners, showCollector } from "./stages.ts";
import { tryStart } from "./try-start.ts";

interface Trouble {
  why: Unusable;
  /** To be called when the data may be used again. */
  repaired: () => void;
  /** The disk may be the reason. */
  disk: Pick<DiskWatch, "isFailing"> | undefined;
}

/** Storage of nothing: sessions last until the data is repaired. */
const NOWHERE: Pick<SessionsOptions, "documents" | "numbers"> = {
  documents: {
    list: () => Promise.reject(storageUnavailable()),
    change: () => Promise.reject(storageUnavailable()),
    file: () => Promise.reject(storageUnavailable()),
  },
  numbers: { directory: EMPTY_DIRECTORY, directoryChanged: new Signal() },
};

/**
 * Replaces the service while its data cannot be used: it answers visitors, shows the problem on decks, and lets the owner
 * restore a backup, start without data, or start another release.
 */
export async function startRescue(
  context: Context,
  { why, repaired, disk }: Trouble,
): Promise<CollectorListeners & { control: Listener; decks: Decks }> {
  const { config, clock, log, ends } = context;
  const { pages, client, names, random, stages, door, reset } = context;
  const standIn = createStandIn({ pages, log, client, door });
  const listeners = await showCollector(stages, ends, standIn);
  if (listeners.collectorTls !== undefined) door.fallBackOn(() => lastCertificate(context));

  const listener = new ControlListener(stages.control, config.adminOpen);
  const admin = adminWithout(config);
  const code = new SetupCode({ clock, randomInt: random.int, needed: () => !admin.exists });
  closeWith(ends, code);
  const sessions = await Sessions.open({ ...NOWHERE, clock, randomBytes: random.bytes });
  closeWith(ends, sessions);
  const channels = new Channels(clock);
  closeWith(ends, channels);
  // Another release may be able to use the data.
  const updates = context.updates ?? (await startUpdates(context));
  const { board, decks } = await startFront(context, {
    code,
    isOpen: () => listener.isOpen(),
    dataUnusable: true,
    storage: () => (disk?.isFailing ? "failing" : undefined),
    store: { load: async () => [], save: async () => {} },
    channels,
    numbers: { numbers: async () => undefined, changed: new Signal(), alarmed: new Signal() },
    updates: updates && updatesOnBoard(updates, clock),
    reset,
  });

  closeWith(ends, listener);
  const control = await listener.show(
    createRescueControl({
      log,
      pages,
      door: { client, sessions, names, isOpen: () => listener.isOpen() },
      session: {
        sessions,
        code,
        admin,
        client,
        wrongTokens: new RateLimit(clock, WRONG_TOKENS),
      },
      ...aboutRepair(context, { why, repaired }, updates !== undefined),
      update: updates === undefined ? {} : { updates },
      health: { version: version(), clock, decks },
    }),
  );
  board.ready(control);
  reset?.followRoot();
  return { ...listeners, control, decks };
}

/** The last certificate, which is kept outside of the data. */
function lastCertificate({ config, log }: Context) {
  const issued = new Keys({ folder: join(config.dataDir, "tls"), log }).chain();
  return issued && { cert: issued.chain, key: issued.key };
}

/** The admin token, as far as damaged data has it. */
function adminWithout({ adminToken, dataDir }: Config): Admin {
  const hash =
    adminToken === undefined ? salvagedAdminHash(databaseFile(dataDir)) : sha256(adminToken);
  return {
    exists: hash !== null,
    matches: (token) => hash !== null && isSameSecret(sha256(token), hash),
  };
}

function aboutRepair(
  { config, chores, space = spaceOf }: Context,
  { why, repaired }: Pick<Trouble, "why" | "repaired">,
  hasUpdates: boolean,
): Pick<RescueControlParts, "data" | "rescue"> {
  const file = databaseFile(config.dataDir);
  const reloadAfterRestore = async () => repaired();
  const exchange = new Exchange(config.dataDir, {
    kinds: DOCUMENT_KINDS,
    space: () => space(config.dataDir),
    tryStart: (copy) => tryStart(copy, chores),
    processes: chores,
    async replaceFile(replace) {
      // Another version or another program may have use for it.
      if (why.flaw !== "damaged") startAnew(file, why.flaw);
      await replace(file);
    },
  });
  return {
    data: { exchange, reloadAfterRestore },
    rescue: {
      why,
      hasUpdates,
      mayGoBack: () => mayTakeBack(file),
      goBack: () => takeBack(file),
      startAnew: () => startAnew(file, why.flaw),
      reloadAfterRestore,
    },
  };
}
