import { isSameHash } from "../base/secrets.ts";
import { Turns } from "../base/turns.ts";
import type {
  DatabaseFigures,
  Engine,
  EngineAnswer,
  EngineEvents,
  EngineRequest,
} from "./engine.ts";
import {
  isBoxQuery,
  type QueryInput,
  type QueryName,
  type QueryResult,
  type SettlementQuery,
} from "./queries.ts";
import type { BeforeImport } from "./rows.ts";
import { type Directory, EMPTY_DIRECTORY } from "./sites/directory.ts";
import type { Settlement } from "./snapshot.ts";
import type { Space } from "./sqlite/room.ts";
import { isBoxWrite, type WriteInput, type WriteName } from "./writes.ts";

interface SplitParts {
  /** Opens the database that keeps the numbers, which may be away. */
  openFleet(events: EngineEvents): Promise<Engine>;
  /** Opens the file of this box's own data. */
  openBox(events: EngineEvents): Promise<BoxEngine>;
}

/** An engine whose data is a file that another one may take the place of. */
interface BoxEngine extends Engine {
  space(): Promise<Space>;
  replaceFile(replace: (file: string) => Promise<void>): Promise<void>;
  readonly isOnTrial: boolean;
  keepFile(): void;
}

type Hash = Uint8Array | null;

/**
 * The numbers of a fleet, and beside them what belongs to this box. The box keeps the hash of the
 * fleet's admin token: an owner who signed in while there was another is signed out, be it changed elsewhere or
 * while the box was off; and its owner can sign in while the fleet's database is away.
 */
export class SplitEngine implements Engine {
  readonly #events: EngineEvents;
  readonly #sharedWrites = new Turns();
  /** Events of the fleet are passed on in turn. */
  readonly #telling = new Turns();
  #fleet: Engine | undefined;
  #box: BoxEngine | undefined;
  /** As the fleet has it; undefined before it was heard. */
  #directory: Directory | undefined;
  /** The admin token that the box knows of. */
  #boxAdmin: Hash = null;
  /** The session that stays when the admin token changes. */
  #kept: string | null = null;
  /** The last answer on what to settle was about the fleet's numbers, and not about the box's. */
  #settlesFleet = false;

  private constructor(events: EngineEvents) {
    this.#events = events;
  }

  /** @throws whatever opening either of them throws */
  static async open(
    { openFleet, openBox }: SplitParts,
    events: EngineEvents,
  ): Promise<SplitEngine> {
    const split = new SplitEngine(events);
    const box = await openBox(split.#eventsOfBox());
    split.#box = box;
    try {
      split.#fleet = await openFleet(split.#eventsOfFleet());
    } catch (error) {
      await box.close();
      throw error;
    }
    await split.#told();
    return split;
  }

  get ready(): boolean {
    return this.#directory !== undefined && this.#theFleet.ready;
  }

  get lowSpace(): boolean {
    return this.#theFleet.lowSpace;
  }

  get figures(): DatabaseFigures | undefined {
    return this.#theFleet.figures;
  }

  async send(request: EngineRequest): Promise<EngineAnswer> {
    switch (request.kind) {
      case "commit":
        return this.#theFleet.send(request);
      case "settle":
        return (this.#settlesFleet ? this.#theFleet : this.#theBox).send(request);
      // A fleet that is away is no reason to start the box anew.
      case "ping":
        return this.#theBox.send(request);
      case "upkeep":
        return this.#upkeep(request);
      case "write":
        return this.#write(request);
    }
  }

  takeLease(): Promise<void> {
    return this.#theFleet.takeLease();
  }

  read<Q extends QueryName>(query: Q, input: QueryInput<Q>): Promise<QueryResult<Q>> {
    if (query === "settlement")
      return this.#settlement(input as SettlementQuery) as Promise<QueryResult<Q>>;
    return (isBoxQuery(query) ? this.#theBox : this.#theFleet).read(query, input);
  }

  /** First of the box, which may have numbers from before there was a fleet. */
  async #settlement(query: SettlementQuery): Promise<Settlement | null> {
    // No hits are counted into the box any more.
    const isOfFleet = query.minBytes > 0 || (this.#settlesFleet && !query.isFirst);
    const ofBox = isOfFleet ? null : await this.#theBox.read("settlement", query);
    const isFirst = query.isFirst || !this.#settlesFleet;
    this.#settlesFleet = ofBox === null;
    return ofBox ?? this.#theFleet.read("settlement", { ...query, isFirst });
  }

  /** Free and total bytes where the box's file is. */
  space(): Promise<Space> {
    return this.#theBox.space();
  }

  /** As SqliteEngine does, of the box's file. */
  async replaceFile(replace: (file: string) => Promise<void>): Promise<void> {
    await this.#theBox.replaceFile(replace);
    const { adminHash } = this.#directory ?? { adminHash: this.#boxAdmin };
    await this.#mirror(adminHash);
  }

  get isOnTrial(): boolean {
    return this.#theBox.isOnTrial;
  }

  keepFile(): void {
    this.#theBox.keepFile();
  }

  async close(): Promise<void> {
    await this.#theFleet.close();
    await this.#told();
    await this.#theBox.close();
  }

  get #theFleet(): Engine {
    return opened(this.#fleet);
  }

  get #theBox(): BoxEngine {
    return opened(this.#box);
  }

  #eventsOfFleet(): EngineEvents {
    const { opened, refused, counted, live, damaged, room, views, asked } = this.#events;
    return {
      directory: (directory) => this.#tell(() => this.#hear(directory)),
      opened: (what) => this.#tell(() => opened(what)),
      refused,
      counted,
      live,
      damaged,
      room,
      views,
      asked,
    };
  }

  #eventsOfBox(): EngineEvents {
    const { damaged } = this.#events;
    return {
      directory: ({ adminHash }) => {
        this.#boxAdmin = adminHash;
        if (this.#directory === undefined)
          this.#events.directory({ ...EMPTY_DIRECTORY, adminHash });
      },
      damaged,
      opened: () => {},
      refused: () => {},
      counted: () => {},
      live: () => {},
      room: () => {},
      views: () => new Map(),
      asked: () => [],
    };
  }

  #tell(what: () => unknown): void {
    void this.#telling.take(async () => what());
  }

  /** Resolves when all that the fleet told until now is passed on. */
  #told(): Promise<void> {
    return this.#telling.take(async () => {});
  }

  async #hear(directory: Directory): Promise<void> {
    await this.#mirror(directory.adminHash);
    this.#directory = directory;
    this.#events.directory(directory);
  }

  async #mirror(hash: Hash): Promise<EngineAnswer> {
    if (isSameHash(this.#boxAdmin, hash)) return DONE;
    return this.#theBox.send(write("setAdminToken", { hash, kept: this.#kept }));
  }

  /** First that of the box, which may have numbers from before; a fleet that is away does not hinder it. */
  async #upkeep(request: EngineRequest): Promise<EngineAnswer> {
    const ofBox = await this.#theBox.send(request);
    if (ofBox.ok && ofBox.more) return ofBox;
    const ofFleet = await this.#theFleet.send(request);
    return ofFleet.ok && !ofFleet.more ? ofBox : ofFleet;
  }

  #write(request: EngineRequest & { kind: "write" }): Promise<EngineAnswer> {
    const { name, input } = request;
    switch (name) {
      case "setAdminToken":
        return this.#sharedWrites.take(() => this.#setAdminToken(input as WriteInput<typeof name>));
      case "importSettings":
        return this.#sharedWrites.take(() => this.#import(input as WriteInput<typeof name>));
      case "undoImport":
        return this.#sharedWrites.take(() => this.#undoImport(input as BeforeImport));
      default:
        return isBoxWrite(name) ? this.#theBox.send(request) : this.#sendFleet(request);
    }
  }

  /** Answered once what the fleet told of it is passed on. */
  async #sendFleet(request: EngineRequest): Promise<EngineAnswer> {
    const answer = await this.#theFleet.send(request);
    await this.#told();
    return answer;
  }

  async #setAdminToken({ hash, kept }: WriteInput<"setAdminToken">): Promise<EngineAnswer> {
    const before = this.#directory?.adminHash ?? null;
    this.#kept = kept;
    try {
      const answer = await this.#sendFleet(write("setAdminToken", { hash, kept }));
      if (!answer.ok) return answer;
      const mirrored = await this.#mirror(hash);
      if (mirrored.ok) return answer;
      await this.#sendFleet(write("setAdminToken", { hash: before, kept }));
      return mirrored;
    } finally {
      this.#kept = null;
    }
  }

  async #import({ sites, documents }: WriteInput<"importSettings">): Promise<EngineAnswer> {
    const ofFleet = await this.#ofSites("importSettings", { sites, documents: [] });
    if (!ofFleet.ok) return ofFleet;
    const before = ofFleet.result as BeforeImport | undefined;
    const ofBox = await this.#theBox.send(write("importSettings", { sites: [], documents }));
    if (!ofBox.ok) {
      if (before) await this.#ofSites("undoImport", before);
      return ofBox;
    }
    const ofDocuments = ofBox.result as BeforeImport;
    return { ...ofBox, result: { ...ofDocuments, sites: before?.sites ?? [] } };
  }

  async #undoImport({ sites, documents }: BeforeImport): Promise<EngineAnswer> {
    const known = this.#directory?.sites ?? [];
    const ofFleet = await this.#ofSites("undoImport", { sites, documents: [] });
    if (!ofFleet.ok) return ofFleet;
    const ofBox = await this.#theBox.send(write("undoImport", { sites: [], documents }));
    if (!ofBox.ok) {
      const imported = known.filter(({ id }) => sites.some((site) => site.id === id));
      await this.#ofSites("importSettings", { sites: imported, documents: [] });
      return ofBox;
    }
    return { ...ofBox, result: ofFleet.result ?? [] };
  }

  /** The part of the fleet: nothing where no site is named, be its database there or not. */
  async #ofSites<W extends "importSettings" | "undoImport">(
    name: W,
    input: WriteInput<W>,
  ): Promise<EngineAnswer> {
    return input.sites.length === 0 ? DONE : this.#sendFleet(write(name, input));
  }
}

const DONE: EngineAnswer = { ok: true, surveys: [], more: false };

function write<W extends WriteName>(name: W, input: WriteInput<W>): EngineRequest {
  return { kind: "write", name, input };
}

function opened<E extends Engine>(engine: E | undefined): E {
  if (engine === undefined) throw new Error("the store is not open");
  return engine;
}
