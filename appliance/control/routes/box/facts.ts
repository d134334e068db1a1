import { hostname } from "node:os";
import type { Listener } from "../../../base/http/listen.ts";
import { RecentProblems } from "../../../base/log.ts";
import { RootRequests } from "../../../base/system/root-requests.ts";
import type { SystemClock } from "../../../base/system/system-clock.ts";
import { madeAt, version } from "../../../base/system/version.ts";
import type { Network } from "../../../box/box-notices.ts";
import type { DiskWatch } from "../../../box/disk/disk-watch.ts";
import type { Front } from "../../../box/front.ts";
import { keptLogIn } from "../../../box/kept-log.ts";
import type { Reset } from "../../../box/reset.ts";
import { hasTunnel } from "../../../box/tunnel.ts";
import { vitalsOf } from "../../../box/vitals.ts";
import type { Warning } from "../../../store/reports.ts";
import type { OwnerContext } from "../../context.ts";
import type { PowerAction, Vitals } from "../../wire.ts";
import { showPrivacy } from "../sites/privacy.ts";
import { BOX_ROUTES } from "./box.ts";
import { showDiagnostics } from "./diagnostics.ts";
import { healthRoute } from "./health.ts";
import type { WayIn } from "./public-address.ts";
import { RESET_ROUTES } from "./reset.ts";
import { UPDATE_ROUTES, type UpdateSource } from "./update.ts";
import { WIFI_ROUTES } from "./wifi.ts";

interface Facts {
  readonly front: Front;
  readonly address: WayIn;
  /** Undefined where the system is not ours. */
  readonly updates: UpdateSource | undefined;
  readonly reset: Reset | undefined;
  readonly network: Network;
  /** The problems that the box has now. */
  readonly warnings: () => readonly Warning[];
  /** Undefined where the kernel tells nothing of a disk. */
  readonly disk: DiskWatch | undefined;
  readonly collector: Pick<Listener, "connections">;
  readonly listener: Pick<Listener, "connections">;
  readonly startedAt: number;
  readonly timekeeper?: Pick<SystemClock, "believe">;
  readonly problems?: RecentProblems;
  readonly vitals?: () => Promise<Vitals>;
}

/** The machine and its software as the owner sees them, and the buttons beside it. */
export function startFacts({ config, clock, store, routes, ...parts }: OwnerContext & Facts): void {
  const { front, address, updates, reset, network, warnings, disk, timekeeper } = parts;
  const { problems = new RecentProblems(), vitals = () => vitalsOf(config.wifiNameFile) } = parts;
  const { board, decks, wifi, timeZone } = front;
  const about = { version: version(), made: madeAt(), clock, store, warnings };
  const keptLog = keptLogIn(config.keptLogFile);
  const connections = () => ({
    collector: parts.collector.connections,
    control: parts.listener.connections,
  });
  const diagnosed = { ...about, decks, problems, address, updates, connections };
  const { startedAt } = parts;
  routes.owner({ ...diagnosed, startedAt }, { "GET /api/diagnostics": showDiagnostics });
  const addresses = () => ({
    number: board.address() ?? null,
    name: board.addressByName() ?? null,
  });
  const root = config.root && new RootRequests(config.root.power);
  const power = root && { power: (action: PowerAction) => root.ask(action) };
  const believe = (now: number, confirmed: boolean) => timekeeper?.believe(now, confirmed);
  const figures = () => disk?.figures();
  routes.owner(
    { ...about, timeZone, addresses, vitals, disk: figures, keptLog, believe, ...power },
    BOX_ROUTES,
  );
  routes.owner({ wifi }, WIFI_ROUTES);
  routes.owner({ updates }, UPDATE_ROUTES);
  const name = () => (network.name() ?? hostname()).replace(/\.local$/, "");
  const isUpdating = () => {
    const view = updates?.view();
    return view !== undefined && (view.progress !== null || view.mode === "trial");
  };
  routes.owner({ reset, name, isUpdating }, RESET_ROUTES);
  const { numbers } = store;
  const counted = () => ({
    directory: numbers.directory,
    read: numbers.read.bind(numbers),
    config,
    hasPublicAddress: address.view().state !== "off",
    isTunnelled: hasTunnel(),
    now: clock.now(),
  });
  routes.owner(counted, { "GET /api/privacy": showPrivacy });
  routes.first.push(healthRoute({ ...about, decks, updates }));
}
