import type { Listener } from "../../base/http/listen.ts";
import { closeWith, openedParts } from "../../base/tasks/closing.ts";
import { watchDisk } from "../../box/disk/disk-watch.ts";
import { PhoneLinks } from "../../links/public/phone-links.ts";
import { PUBLIC_ADDRESS, type PublicAddress } from "../../links/public/public-address.ts";
import { startPublicAddress } from "../../links/public/start.ts";
import { lockDataDir, makeDataDir, type Unusable } from "../../store/desk.ts";
import { documentsIn, type Numbers } from "../../store/store.ts";
import { createCollector } from "../../traffic/collector/app.ts";
import { metricsOf } from "../metrics/metrics-port.ts";
import { startData } from "./data.ts";
import { type ServiceParts, shareParts } from "./parts.ts";
import { type CollectorListeners, showCollector } from "./stages.ts";

/** A collector that counts for a home: there is nothing for an owner here. */
interface Placing extends CollectorListeners {
  /** The listener of `/metrics`; undefined where it is off. */
  readonly metrics: Listener | undefined;
  readonly numbers: Numbers;
  /** Resolves when the data turns out to be damaged. */
  readonly damaged: Promise<Unusable>;
  /** Resolves when the data has answered. */
  alive(): Promise<void>;
  /** Answers pending requests, commits, and closes everything. */
  close(): Promise<void>;
}

/**
 * Starts the collector on a file, with the public address that the configuration names: no router is asked for it.
 * @throws {DatabaseRefused} when the data cannot be used; others as `listen` does
 */
export function startPlace(parts: ServiceParts): Promise<Placing> {
  return openedParts((ends) => start(parts, ends));
}

async function start(
  parts: ServiceParts,
  ends: AsyncDisposableStack,
): Promise<Omit<Placing, "close">> {
  const { config, log } = parts;
  const shared = shareParts(parts);
  const { stages, door, hits, answers, random } = shared;
  const context = { ...parts, ...shared, ends };
  makeDataDir(config.dataDir);
  ends.defer(lockDataDir(config.dataDir));
  const disk = watchDisk(parts);
  if (disk !== undefined) closeWith(ends, disk);
  const { promise: damaged, resolve } = Promise.withResolvers<Unusable>();
  const data = await startData(context, resolve, config);
  const { numbers, local } = data.store;
  const figures = () => numbers.figures;
  const told = { ...parts, hits, answers, figures, isReady: () => numbers.ready };
  const metrics = await metricsOf({ ...told, disk: () => disk?.figures() }, ends);
  let address: PublicAddress | undefined;
  const stopping = new AbortController();
  const app = createCollector({
    ...context,
    ...data,
    numbers,
    stopping: stopping.signal,
    warnings: () => [
      ...numbers.warnings,
      ...(address?.warnings() ?? []),
      ...(disk?.isFailing ? (["storage_failing"] as const) : []),
    ],
    tally: hits,
  });
  // No other app follows.
  for (const stage of Object.values(stages)) stage.last();
  const listeners = await showCollector(stages, ends, app);
  // The listeners wait for their answers.
  ends.defer(() => stopping.abort());
  if (config.publicAddress !== undefined) {
    address = await startPublicAddress({
      ...context,
      documents: documentsIn(local, PUBLIC_ADDRESS),
      tlsPort: listeners.collectorTls?.port,
      isTunnelled: () => false,
      isServer: true,
    });
    ends.defer(tellProgress(address, log));
    ends.defer(door.follow(address, new PhoneLinks({ ...context, randomBytes: random.bytes })));
  }
  return { ...listeners, metrics, numbers, damaged, alive: () => local.alive() };
}

/** Logs how the public address comes about: nothing else shows it here. @returns a function that ends it */
function tellProgress(
  address: Pick<PublicAddress, "changed" | "view">,
  log: ServiceParts["log"],
): () => void {
  let said = "";
  const say = () => {
    const { headline, steps } = address.view();
    const wrong = steps.find(({ state }) => state === "wrong");
    const text = [headline, wrong?.next].filter(Boolean).join(" ");
    if (text === said) return;
    said = text;
    if (wrong === undefined) log.info(text);
    else log.warn(text);
  };
  say();
  return address.changed.on(say);
}
