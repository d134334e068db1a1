import type { Day } from "../../../base/calendar.ts";
import { detached } from "../../../base/memoize.ts";
import { type Dimension, FLAG } from "../../../store/log/record.ts";
import { hashOf } from "../hash.ts";
import { mostFetch, type Viewers } from "./fetchers.ts";

/** Between two views of a session there is less than this. */
export const VISIT_PAUSE_MS = 30 * 60_000;

/** A view as a log tells it. */
interface LoggedView {
  /** Epoch milliseconds. */
  readonly moment: number;
  /** In the owner's zone, since 1970. */
  readonly hour: number;
  /** Two equal lines have the same. */
  readonly line: number;
  /** The hash of the client on this day, and on the day before where that may still matter. */
  readonly client: string;
  readonly before: string | undefined;
  readonly path: string;
  /** Its other values but for the source. */
  readonly values: readonly (readonly [Dimension, string])[];
  /** The name of a campaign or a host, that of the session if one begins with it. */
  readonly source: string;
}

/** A view that counts, with its marks. */
interface CountedView {
  readonly hour: number;
  readonly flags: number;
  readonly values: readonly (readonly [Dimension, string])[];
}

/** A client on a day. */
interface ClientOfDay {
  before: string | undefined;
  /** Whether it has fetched files that belong to pages. */
  hasFiles: boolean;
  hasViews: boolean;
  session: Session | undefined;
  readonly number: number;
  /** Whether a view of it is counted. */
  hasViewed: boolean;
}

interface Session {
  /** The moments of its first and its last view. */
  readonly first: number;
  readonly last: number;
  /** 2 for more, too. */
  readonly views: 1 | 2;
  readonly source: string;
}

/** Finds the session of a client on the day before, by its hash of that day. */
export type SessionsBefore = (client: string) => Session | undefined;

/** A view until it is known what it is of its visitor. */
interface Held extends Omit<LoggedView, "client" | "before" | "values"> {
  readonly client: ClientOfDay;
  /** Names and texts in turn. */
  readonly values: readonly string[];
}

/** Bytes of memory, as they were measured. */
const BYTES = { view: 140, client: 220, viewed: 40, values: 220, text: 80 } as const;

/**
 * The views of one day in whatever order they come; what each is of its visitor shows when the day is over. Equal lines
 * are one view: they come from files that overlap.
 */
export class DayViews {
  readonly day: Day;
  readonly #clients = new Map<string, ClientOfDay>();
  /** Values that many views share, by their hash, and texts that many of these share. */
  readonly #values = new Map<number, readonly string[]>();
  readonly #texts = new Map<string, string>();
  #textBytes = 0;
  /** The paths that clients have viewed, by their hash: a set for each would take three times as much. */
  readonly #viewed = new Set<number>();
  #held: Held[] = [];
  #hasFiles = false;

  constructor(day: Day) {
    this.day = day;
  }

  /** The bytes that it takes, nearly. */
  get bytes(): number {
    const { view, client, viewed, values } = BYTES;
    const ofClients = client * this.#clients.size + viewed * this.#viewed.size;
    return view * this.#held.length + ofClients + values * this.#values.size + this.#textBytes;
  }

  /** The number of views that are not counted yet. */
  get held(): number {
    return this.#held.length;
  }

  /** Notes that a client has fetched a file that belongs to a page. */
  addFile(client: string): void {
    this.#hasFiles = true;
    this.#clientOf(client, undefined).hasFiles = true;
  }

  add({ client, before, values, path, source, ...view }: LoggedView): void {
    const viewer = this.#clientOf(client, before);
    viewer.hasViews = true;
    this.#held.push({
      ...view,
      path: this.#textOf(path),
      source: this.#textOf(source),
      values: this.#valuesOf(values),
      client: viewer,
    });
  }

  get viewers(): Viewers {
    let [all, fetching] = [0, 0];
    for (const { hasViews, hasFiles } of this.#clients.values()) {
      all += Number(hasViews);
      fetching += Number(hasViews && hasFiles);
    }
    return { all, fetching };
  }

  #valuesOf(values: LoggedView["values"]): readonly string[] {
    const flat = values.flat();
    const key = hashOf(flat.join("\n"));
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const kept = flat.map((text) => this.#textOf(text));
    this.#values.set(key, kept);
    return kept;
  }

  #textOf(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const kept = detached(text);
    this.#texts.set(kept, kept);
    this.#textBytes += BYTES.text + kept.length;
    return kept;
  }

  /**
   * The views so far, in the order of their time; they are forgotten.
   * @param yesterday the sessions that the day before left open
   * @param before the viewers of the days before
   */
  *take(
    yesterday: SessionsBefore,
    before: Viewers,
    tell: { twice(): void; bot(): void },
  ): Generator<CountedView> {
    const tellsPrograms = this.#hasFiles && mostFetch(this.viewers, before);
    const views = this.#held.sort((a, b) => a.moment - b.moment || a.line - b.line);
    this.#held = [];
    let last: Held | undefined;
    for (const view of views) {
      const isTwice = view.moment === last?.moment && view.line === last.line;
      last = view;
      if (isTwice) tell.twice();
      else if (!tellsPrograms || isPerson(view.client, view.moment, yesterday))
        yield this.#count(view, yesterday);
      else tell.bot();
    }
  }

  /** Forgets who has viewed what, where that is too much; who comes again counts again. */
  forget(): void {
    this.#clients.clear();
    this.#viewed.clear();
    this.#values.clear();
    this.#texts.clear();
    this.#textBytes = 0;
  }

  /** The sessions that may go on on the next day. */
  open(): SessionsBefore {
    let latest = Number.NEGATIVE_INFINITY;
    for (const { session } of this.#clients.values())
      if (session !== undefined && session.last > latest) latest = session.last;
    const all = new Map<string, Session>();
    for (const [client, { session }] of this.#clients)
      if (session !== undefined && goesOn(session, latest)) all.set(client, session);
    return (client) => all.get(client);
  }

  /** The session of a client that is the last so far. */
  sessionOf(client: string): Session | undefined {
    return this.#clients.get(client)?.session;
  }

  #count(
    { client, moment, hour, path, values, source }: Held,
    yesterday: SessionsBefore,
  ): CountedView {
    const session = lastSession(client, yesterday);
    let flags = 0;
    if (!client.hasViewed) flags |= FLAG.visitor;
    client.hasViewed = true;
    const viewed = hashOf(`${client.number}\n${path}`);
    if (!this.#viewed.has(viewed)) flags |= FLAG.pathVisitor;
    this.#viewed.add(viewed);
    let began = source;
    if (session !== undefined && moment <= session.first - VISIT_PAUSE_MS) {
      // A line that comes late is of a session before: the one that goes on stays as it is.
      flags |= FLAG.session;
    } else if (session !== undefined && goesOn(session, moment)) {
      if (session.views === 1) flags |= FLAG.engaged;
      began = session.source;
      const [first, last] = [Math.min(session.first, moment), Math.max(session.last, moment)];
      client.session = { first, last, views: 2, source: began };
    } else {
      flags |= FLAG.session;
      if (session?.views === 1) flags |= FLAG.bounce;
      client.session = { first: moment, last: moment, views: 1, source };
    }
    return { hour, flags, values: [...pairsOf(values), ["source", began]] };
  }

  #clientOf(client: string, before: string | undefined): ClientOfDay {
    const known = this.#clients.get(client);
    // A file that came first did not need it.
    if (known !== undefined) known.before ??= before;
    if (known !== undefined) return known;
    const made: ClientOfDay = {
      before,
      number: this.#clients.size,
      session: undefined,
      hasFiles: false,
      hasViews: false,
      hasViewed: false,
    };
    this.#clients.set(client, made);
    return made;
  }
}

/** Whether a client fetches files, too, or goes on as one that did on the day before. */
function isPerson(client: ClientOfDay, moment: number, yesterday: SessionsBefore): boolean {
  return client.hasFiles || goesOn(lastSession(client, yesterday), moment);
}

function lastSession(client: ClientOfDay, yesterday: SessionsBefore): Session | undefined {
  return client.session ?? yesterday(client.before ?? "");
}

function goesOn(session: Session | undefined, moment: number): boolean {
  return session !== undefined && moment - session.last < VISIT_PAUSE_MS;
}

function* pairsOf(flat: readonly string[]): Generator<readonly [Dimension, string]> {
  for (let at = 0; at < flat.length; at += 2) yield [flat[at] as Dimension, flat[at + 1] as string];
}
