import type { Day } from "../../base/calendar.ts";
import { type Dimension, FLAG } from "../../store/log/record.ts";
import { mostFetch, type Viewers } from "./fetchers.ts";

/** Between two views of a session there is less than this. */
export const SESSION_MS = 30 * 60_000;

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
  /** The paths that it has viewed; undefined before the first. */
  paths: Set<string> | undefined;
}

interface Session {
  last: number;
  /** 2 for more, too. */
  views: 1 | 2;
  readonly source: string;
}

/** Finds the session of a client on the day before, by its hash of that day. */
export type SessionsBefore = (client: string) => Session | undefined;

/** A view until it is known what it is of its visitor. */
interface Held extends Omit<LoggedView, "client" | "before"> {
  readonly client: ClientOfDay;
}

/**
 * The views of one day in whatever order they come; what each is of its visitor shows when the day is over. Equal lines
 * are one view: they come from files that overlap.
 */
export class DayViews {
  readonly day: Day;
  readonly #clients = new Map<string, ClientOfDay>();
  /** Values that many views share, once. */
  readonly #texts = new Map<string, LoggedView["values"]>();
  #held: Held[] = [];
  constructor(day: Day) {
    this.day = day;
  }

  /** The number of views, and of other things that take as much memory. */
  get size(): number {
    return this.#held.length + this.#texts.size + this.#clients.size;
  }

  /** Notes that a client has fetched a file that belongs to a page. */
  addFile(client: string): void {
    this.#clientOf(client, undefined).hasFiles = true;
  }

  add({ client, before, values, path, ...view }: LoggedView): void {
    const key = values.map((each) => each[1]).join("\n");
    const known = this.#texts.get(key) ?? detached(values);
    this.#texts.set(key, known);
    const kept = known.find(([name]) => name === "path")?.[1] ?? path;
    const viewer = this.#clientOf(client, before);
    viewer.hasViews = true;
    this.#held.push({ ...view, path: kept, values: known, client: viewer });
  }

  get viewers(): Viewers {
    let [all, fetching] = [0, 0];
    for (const { hasViews, hasFiles } of this.#clients.values()) {
      all += Number(hasViews);
      fetching += Number(hasViews && hasFiles);
    }
    return { all, fetching };
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
    const tellsPrograms = mostFetch(this.viewers, before);
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
    this.#texts.clear();
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
    if (client.paths === undefined) flags |= FLAG.visitor;
    client.paths ??= new Set();
    if (!client.paths.has(path)) flags |= FLAG.pathVisitor;
    client.paths.add(path);
    if (session !== undefined && goesOn(session, moment)) {
      if (session.views === 1) flags |= FLAG.engaged;
      client.session = { ...session, last: moment, views: 2 };
    } else {
      flags |= FLAG.session;
      if (session?.views === 1) flags |= FLAG.bounce;
      client.session = { last: moment, views: 1, source };
    }
    return { hour, flags, values: [...values, ["source", client.session.source]] };
  }

  #clientOf(client: string, before: string | undefined): ClientOfDay {
    const known = this.#clients.get(client);
    // A file that came first did not need it.
    if (known !== undefined) known.before ??= before;
    if (known !== undefined) return known;
    const made: ClientOfDay = {
      ...{ before, hasFiles: false, hasViews: false },
      ...{ session: undefined, paths: undefined },
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
  return session !== undefined && moment - session.last < SESSION_MS;
}

/** The same texts without the lines that they were cut from, which the engine would keep alive. */
function detached(values: LoggedView["values"]): LoggedView["values"] {
  return JSON.parse(JSON.stringify(values)) as LoggedView["values"];
}
