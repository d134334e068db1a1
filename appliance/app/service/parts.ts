import { randomBytes, randomInt } from "node:crypto";
import { hostname } from "node:os";
import { fileURLToPath } from "node:url";
import { AnswerCounter } from "../../base/http/answer-counter.ts";
import { type Client, createClient } from "../../base/http/client.ts";
import { ownNames } from "../../base/http/own-host.ts";
import { builtPages, type Pages } from "../../base/http/pages.ts";
import type { RecentProblems } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import type { RunProgram } from "../../base/system/bounded-process.ts";
import type { SystemClock } from "../../base/system/system-clock.ts";
import { Icons } from "../../base/text/icons.ts";
import { thisNetwork } from "../../box/box-notices.ts";
import type { Disk } from "../../box/disk/disk.ts";
import type { FrontParts } from "../../box/front.ts";
import { Reset } from "../../box/reset.ts";
import { PublicDoor } from "../../control/public-door.ts";
import type { WayIn } from "../../control/routes/box/public-address.ts";
import type { UpdateSource } from "../../control/routes/box/update.ts";
import type { Pushed } from "../../control/senders/senders.ts";
import type { Vitals } from "../../control/wire.ts";
import type { PublicSettings } from "../../links/public/settings.ts";
import type { Messenger } from "../../links/public/tasks.ts";
import type { ChoreProcesses } from "../../store/desk.ts";
import { besideCounting, spaceOf } from "../../store/desk.ts";
import type { Space, Store, Threads } from "../../store/store.ts";
import { HitCounter } from "../../traffic/collector/hit-counter.ts";
import { openStages, type Stages } from "./stages.ts";

const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));

export interface ServiceParts extends FrontParts {
  /** Called with the path of this box's database before anything runs. */
  prepare?: (file: string) => void | Promise<void>;
  /** Called once the data has answered, which a database elsewhere may do after the start. */
  firstOpened?: (store: Store) => Promise<void>;
  space?: (dir: string) => Promise<Space>;
  /** Corrects the time (epoch ms) of a database elsewhere. */
  databaseNow?: (said: number) => number;
  readerMemoryMb?: number;
  /** The source of threads for the database. */
  threads?: Threads;
  /** The source of processes that make, check and take in backups. */
  chores?: ChoreProcesses | undefined;
  /** The last warnings and errors of `log`. */
  problems?: RecentProblems;
  /** File descriptors of the sockets `collector`, `collector-tls` and `control`, where others opened them. */
  sockets?: ReadonlyMap<string, number>;
  /** Takes times of a signed-in owner's browser, and of the data. */
  timekeeper?: Pick<SystemClock, "believe" | "learn">;
  random?: Random;
  /** The link between the listeners and the public address; the service's own unless given. */
  door?: PublicDoor;
  /** The way in from outside; made from the settings unless given. */
  publicAddress?: WayIn;
  /** The messenger for the public address; router, provider and CA themselves unless given. */
  messenger?: (settings: PublicSettings) => Messenger;
  /** The source and the installer of releases; made from the settings unless given. */
  updates?: UpdateSource;
  /** The pushes that channels hold from the start, to stay. */
  pushed?: readonly Pushed[];
  /** Finds the disk of the data; the kernel's word on it unless given. */
  disk?: () => Disk | undefined;
  /** Runs imports and exports beside it; in a process of their own, below the service, unless given. */
  runProgram?: RunProgram;
  /** The vitals of the machine; those of its system unless given. */
  vitals?: () => Promise<Vitals>;
}

interface Shared {
  pages: Pages;
  icons: Icons;
  client: Client;
  /** The names by which this machine may be addressed. */
  names: () => ReadonlySet<string>;
  random: Random;
  stages: Stages;
  /** The public address, as far as it is known at the listeners. */
  door: PublicDoor;
  /** Undefined where the system is not ours. */
  reset: Reset | undefined;
  main: string;
  /** The bytes that may be used of a folder, so that counting goes on. */
  freeBytes: (folder: string) => Promise<number>;
  hits: HitCounter;
  answers: AnswerCounter;
}

export function shareParts(parts: ServiceParts): Shared {
  const {
    config,
    network = thisNetwork(config.nameFile),
    space = spaceOf,
    random = { bytes: randomBytes, int: randomInt },
  } = parts;
  const client = createClient(config.trustedProxies);
  const pages = builtPages();
  const { door = new PublicDoor({ clock: parts.clock }) } = parts;
  const answers = new AnswerCounter();
  return {
    pages,
    icons: new Icons(() => pages.text("icons.json")),
    client,
    random,
    names: () => ownNames(hostname(), network.name(), config.allowedHosts),
    stages: openStages({ ...parts, client, door, answers }),
    door,
    reset:
      config.root && new Reset({ clock: parts.clock, log: parts.log, folder: config.root.reset }),
    main: MAIN,
    freeBytes: async (folder) => besideCounting(await space(folder)),
    hits: new HitCounter(),
    answers,
  };
}

export interface Context extends Omit<ServiceParts, "door" | "random">, Shared {
  /** Closes the parts in reverse. */
  readonly ends: AsyncDisposableStack;
}
