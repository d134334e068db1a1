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
import { powerSwitch } from "../../../box/power.ts";
import type { Reset } from "../../../box/reset.ts";
import { hasTunnel } from "../../../box/tunnel.ts";
import { vitalsOf } from "../../../box/vitals.ts";
import type { Warning } from "../../../store/reports.ts";
import type { OwnerContext } from "../../context.ts";
import type { Vitals } from "../../wire.ts";
import { showPrivacy } from "../sites/privacy.ts";
import { boxRoutes } from "./box.ts";
import { tellTime } from "./clock.ts";
import { showDiagnostics } from "./diagnostics.ts";
import { healthRoute } from "./health.ts";
import { downloadLog } from "./kept-log.ts";
import type { WayIn } from "./public-address.ts";
import { resetRoutes } from "./reset.ts";
import { type UpdateSource, updateRoutes } from "./update.ts";
import { wifiRoutes } from "./wifi.ts";

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
  routes.owner({ ...diagnosed, startedAt: parts.startedAt }, [
    "GET",
    "/api/diagnostics",
    showDiagnostics,
  ]);
  const addresses = () => ({
    number: board.address() ?? null,
    name: board.addressByName() ?? null,
  });
  const logKeptAt = () => keptLog.keptAt();
  const power = config.root && { power: powerSwitch(new RootRequests(config.root.power)) };
  const figures = () => disk?.figures();
  routes.owner(
    { ...about, timeZone, addresses, vitals, disk: figures, logKeptAt, ...power },
    ...boxRoutes,
  );
  routes.owner(keptLog, ["GET", "/api/log", downloadLog]);
  const believe = (now: number, confirmed: boolean) => timekeeper?.believe(now, confirmed);
  routes.owner({ believe }, ["POST", "/api/clock", tellTime]);
  routes.owner(wifi === undefined ? {} : { wifi }, ...wifiRoutes);
  const ofUpdates = updates === undefined ? {} : { updates };
  routes.owner(ofUpdates, ...updateRoutes);
  const name = () => (network.name() ?? hostname()).replace(/\.local$/, "");
  const isUpdating = () => {
    const view = updates?.view();
    return view !== undefined && (view.progress !== null || view.mode === "trial");
  };
  routes.owner({ ...(reset && { reset }), name, isUpdating }, ...resetRoutes);
  const { numbers } = store;
  const told = { numbers, clock, config, address, isTunnelled: hasTunnel };
  routes.owner(told, ["GET", "/api/privacy", showPrivacy]);
  routes.first.push(healthRoute({ ...about, decks, ...ofUpdates }));
}
