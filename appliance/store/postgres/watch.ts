import type { Log } from "../../base/log.ts";
import type { Refusal } from "../../base/refusal.ts";
import type { Cancel } from "../../base/signal.ts";
import { type Revision, unchangedSince } from "../changes.ts";
import type { SiteKey } from "../counting.ts";
import type { Soon } from "../counts/site-counts.ts";
import type { EngineEvents } from "../engine.ts";
import type { FleetClock } from "../fleet-clock.ts";
import { formatOf, READABLE_BY } from "../format.ts";
import type { LiveBars } from "../intake/live-views.ts";
import { readDirectory } from "../sites/directory.ts";
import { WATCHED_KINDS } from "../sites/kinds.ts";
import type { Availability } from "./availability.ts";
import type { Connection } from "./connection/connection.ts";
import type { ConnectionSettings } from "./connection/url.ts";
import { NOW } from "./database-time.ts";
import { FleetDb } from "./db.ts";
import { drawEpoch, EPOCH } from "./epoch.ts";
import { batchesOf } from "./log.ts";
import { newer } from "./migrate.ts";
import type { Node } from "./node.ts";
import type { Lease } from "./upkeep/lease.ts";

const WATCH_MS = 400;
const BEAT_MS = 5_000;
/** The most nodes whose live views are added up. */
const MAX_NODES = 1_000;

interface WatchOptions {
  readonly connection: Connection;
  readonly node: Node;
  readonly lease: Lease;
  readonly clock: FleetClock;
  readonly log: Pick<Log, "warn">;
  readonly events: Pick<EngineEvents, "directory" | "counted" | "live" | "views" | "asked">;
  readonly availability: Availability;
  readonly settings: ConnectionSettings;
  /** Called at each look with the reason why this version may not use the tables any more; undefined while it may. */
  readonly onUsable: (refusal: Refusal | undefined) => void;
}

/**
 * Polls the database several times a second for changes of sites and counts by others. Every few seconds it gives a
 * sign of life of this node, writes its views of the last five minutes, and reads those of others.
 */
export class Watch {
  readonly #options: WatchOptions;
  #revision: Revision | undefined;
  #told: Soon<void> = undefined;
  #batches: number | undefined;
  #beatAt = -Infinity;
  #stop: Cancel = () => {};
  #stopLooking: Cancel = () => {};
  #isStopped = false;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Looks for the first time, and passes on the directory. @throws {Away}, {Lost} */
  async begin(): Promise<void> {
    await this.#look();
    this.#again();
    this.#lookAround();
  }

  /** Passes on the directory if it has changed. Resolves when listeners have the newest. @throws {Away}, {Lost} */
  async readDirectory(): Promise<void> {
    const { connection, events } = this.#options;
    const { revision, directory } = await new FleetDb(connection).transaction(
      async (sql) => {
        const unchanged =
          this.#revision && (await unchangedSince(sql, WATCHED_KINDS, this.#revision));
        if (unchanged !== undefined) return { revision: unchanged };
        const directory = await readDirectory(sql);
        return { revision: directory.revision, directory };
      },
      { read: true },
    );
    // Another look may have reported a newer revision.
    const isOlder = revision.epoch === this.#revision?.epoch && revision.n < this.#revision.n;
    if (!isOlder) {
      this.#revision = revision;
      if (directory !== undefined) this.#told = events.directory(directory);
    }
    await this.#told;
  }

  stop(): void {
    this.#isStopped = true;
    this.#stop();
    this.#stopLooking();
  }

  #again(): void {
    if (this.#isStopped) return;
    this.#stop = this.#options.clock.after(WATCH_MS, () => {
      void this.#step().then(() => this.#again());
    });
  }

  /** Looks for a promoted server, and waits for nothing else: a server that hangs may keep other requests for long. */
  #lookAround(): void {
    const { clock, connection } = this.#options;
    if (this.#isStopped) return;
    this.#stopLooking = clock.after(BEAT_MS, () => {
      void connection.lookAround().then(() => this.#lookAround());
    });
  }

  async #step(): Promise<void> {
    const { availability, clock } = this.#options;
    try {
      await this.#look();
      // The node must not write views after its goodbye, where they would stay for five minutes.
      if (this.#isStopped) return;
      if (clock.monotonic() - this.#beatAt >= BEAT_MS) await this.#beat();
      availability.answered(this);
    } catch (error) {
      if (!this.#isStopped) availability.missed(this, error);
    }
  }

  async #look(): Promise<void> {
    const { connection, node, clock, events, settings, onUsable } = this.#options;
    const [[seen]] = (await connection.pipeline((place) => [
      { text: LOOK, values: [place, node.id] },
    ])) as [FleetState[]];
    if (seen === undefined) return;
    const refusal = newer(formatOf(Number(seen.format), seen.readableBy), settings);
    onUsable(refusal);
    if (refusal !== undefined) throw refusal;
    clock.hear(seen.now);
    if (seen.epoch === null) {
      // A standby was promoted, and no node has met it before.
      await connection.transaction((sql) => drawEpoch(sql));
      return this.#look();
    }
    const { n, epoch } = this.#revision ?? {};
    if (seen.epoch !== epoch || seen.revision !== n) await this.readDirectory();
    const hasCounted = this.#batches !== undefined && seen.batches !== this.#batches;
    this.#batches = seen.batches;
    if (hasCounted) events.counted();
  }

  async #beat(): Promise<void> {
    const { connection, node, events, clock, lease } = this.#options;
    const views = events.views();
    const bars = views.size === 0 ? null : JSON.stringify(Object.fromEntries(views));
    // A transaction does not wait long for locks.
    const [, , others, kept] = (await connection.pipeline([
      node.hello,
      { text: TELL, values: [node.id, bars] },
      { text: HEAR, values: [node.id, events.asked()] },
      lease.keep,
    ])) as readonly [unknown, unknown, readonly Told[], readonly object[]];
    lease.heard(kept);
    this.#beatAt = clock.monotonic();
    events.live(others.map(barsOf));
  }
}

interface FleetState {
  readonly epoch: number | null;
  readonly format: string;
  readonly readableBy: string | null;
  readonly revision: number;
  readonly batches: number;
  readonly now: number;
}

interface Told {
  readonly site: SiteKey;
  readonly bars: readonly number[];
  readonly age: number;
}

const LOOK = `
  SELECT (${EPOCH}) AS epoch, (SELECT n FROM revision) AS revision,
    (SELECT value FROM meta WHERE key = 'format') AS format,
    (SELECT value FROM meta WHERE key = '${READABLE_BY}') AS "readableBy",
    (${batchesOf("node <> $2")}) AS batches,
    ${NOW} AS now`;

const TELL = `
  UPDATE node SET live = $2::text, live_at = now()
  WHERE id = $1 AND (live IS NOT NULL OR $2::text IS NOT NULL)`;

/** Reads live views of sites that were requested here; otherwise each node would read those of all sites. */
const HEAR = `
  SELECT asked.site, told.live -> asked.site::text AS bars, age FROM (
    SELECT live::jsonb AS live, extract(epoch FROM now() - live_at) * 1000 AS age FROM node
    WHERE id <> $1 AND live IS NOT NULL AND live_at > now() - interval '5 minutes'
      AND cardinality($2::int[]) > 0
    ORDER BY live_at DESC LIMIT ${MAX_NODES}
  ) AS told CROSS JOIN unnest($2::int[]) AS asked (site)
  WHERE told.live ? asked.site::text`;

function barsOf({ site, bars, age }: Told): LiveBars {
  return { age, bars: new Map([[site, bars]]) };
}
