import type { ServerResponse } from "node:http";
import type { Clock } from "../../base/clock.ts";
import { HttpError } from "../../base/http/errors.ts";
import type { Cancel } from "../../base/signal.ts";
import { closeWith } from "../../base/tasks/closing.ts";
import type { Decks } from "../../deck/decks.ts";
import type { Channels } from "../../deck/push/channels.ts";
import type { OwnerContext } from "../context.ts";
import { sessionOf } from "../guard.ts";
import type { Handler } from "../route.ts";
import type { SessionId, Sessions } from "../sessions.ts";
import type { BoxEvents, SlotAt, SlotPicture } from "../wire.ts";
import { type PublicParts, publicView } from "./box/public-address.ts";
import type { UpdateParts } from "./box/update.ts";
import { decksView } from "./decks/decks.ts";
import { channelViews } from "./push-channels.ts";

interface EventsOptions {
  clock: Clock;
  decks: Decks;
  channels: Channels;
  sessions: Sessions;
  address: PublicParts["address"];
  updates: UpdateParts["updates"];
}

const MAX_STREAMS = 32;
/** Shorter than the idle time of usual proxies. */
const HEARTBEAT_MS = 15_000;

const HEADERS = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-store",
  // nginx buffers events unless told not to.
  "X-Accel-Buffering": "no",
};

/** The events that tell a whole list or view, in its state of then. */
const WHOLE = ["decks", "channels", "public", "update"] as const;
type Whole = (typeof WHOLE)[number];

/** An event about a slot. */
type SlotTold =
  | { readonly event: "slots"; readonly data: SlotPicture }
  | { readonly event: "pressed"; readonly data: SlotAt };

/** A client, with its pending events. They are bounded: a list is sent once, and so is a slot. */
interface Stream {
  readonly response: ServerResponse;
  readonly session: SessionId | undefined;
  readonly pending: Set<Whole>;
  /** `slots` and `pressed` events by deck and slot. */
  readonly slots: Map<string, SlotTold>;
}

/**
 * The events of this box, as server-sent events: `decks`, `channels`, `public` and `update` with the bodies of their routes,
 * at first and after each change; `slots` `{deck, slot, revision}` when the picture of a slot has changed; `pressed`
 * `{deck, slot}`. A slow client misses states in between, and never the last one.
 */
class Events {
  readonly #options: EventsOptions;
  readonly #streams = new Set<Stream>();
  /** Without a stream there are none. */
  #subscriptions: readonly Cancel[] = [];
  #scheduled = false;
  #cancelHeartbeat: Cancel = () => {};

  constructor(options: EventsOptions) {
    this.#options = options;
  }

  #listen(): void {
    const { decks, channels, sessions, address, updates } = this.#options;
    // The slots bound to a channel change with the decks.
    const decksChanged = () => this.#tell("decks", "channels");
    this.#subscriptions = [
      decks.changed.on(decksChanged),
      decks.problemsChanged.on(decksChanged),
      decks.pictureChanged.on((data) => this.#tellSlot({ event: "slots", data })),
      decks.fingers.pressed.on((data) => this.#tellSlot({ event: "pressed", data })),
      channels.changed.on(() => this.#tell("channels")),
      address.changed.on(() => this.#tell("public")),
      ...(updates ? [updates.changed.on(() => this.#tell("update"))] : []),
      sessions.ended.on((id) => {
        for (const stream of this.#streams) if (stream.session === id) this.#end(stream);
      }),
    ];
    this.#beat();
  }

  /**
   * Streams events to a response until its session or its connection ends.
   * @throws {HttpError} 503 when too many listen
   */
  stream(response: ServerResponse, session: SessionId | undefined): void {
    if (this.#streams.size >= MAX_STREAMS)
      throw new HttpError(
        503,
        "too_many_clients",
        "Too many pages are open on this machine. Close some.",
      );
    const stream = { response, session, pending: new Set(WHOLE), slots: new Map() };
    if (this.#streams.size === 0) this.#listen();
    this.#streams.add(stream);
    response.on("close", () => this.#remove(stream));
    response.on("error", () => this.#remove(stream));
    // Half-open connections are allowed here; a client that closes its side has left.
    response.socket?.once("end", () => this.#end(stream));
    response.on("drain", () => this.#flush(stream));
    response.writeHead(200, HEADERS);
    this.#flush(stream);
  }

  /** Ends all streams. */
  close(): void {
    for (const stream of this.#streams) this.#end(stream);
  }

  #tell(...events: Whole[]): void {
    for (const { pending } of this.#streams) for (const event of events) pending.add(event);
    this.#schedule();
  }

  #tellSlot(told: SlotTold): void {
    const { event, data } = told;
    for (const { slots } of this.#streams) slots.set(`${event} ${data.deck} ${data.slot}`, told);
    this.#schedule();
  }

  /** Events of one turn of the event loop go out together. */
  #schedule(): void {
    if (this.#scheduled || this.#streams.size === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      for (const stream of this.#streams) this.#flush(stream);
    });
  }

  #flush({ response, pending, slots }: Stream): void {
    if (response.writableNeedDrain || response.writableEnded) return;
    const views = this.#views();
    for (const event of WHOLE) {
      const data = pending.delete(event) ? views[event]() : undefined;
      if (data !== undefined) send(response, event, data);
    }
    for (const { event, data } of slots.values()) send(response, event, data);
    slots.clear();
  }

  #views(): { readonly [Event in Whole]: () => BoxEvents[Event] | undefined } {
    const { decks, address, updates } = this.#options;
    return {
      decks: () => decksView(decks),
      channels: () => ({ channels: channelViews(this.#options) }),
      public: () => publicView(address),
      update: () => updates?.view(),
    };
  }

  #beat(): void {
    this.#cancelHeartbeat = this.#options.clock.after(HEARTBEAT_MS, () => {
      for (const stream of this.#streams) {
        const { session, response } = stream;
        if (session !== undefined && !this.#options.sessions.isOpen(session)) this.#end(stream);
        else if (!response.writableNeedDrain) response.write(":\n\n");
      }
      if (this.#streams.size > 0) this.#beat();
    });
  }

  #end(stream: Stream): void {
    this.#remove(stream);
    stream.response.end();
  }

  #remove(stream: Stream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    this.#cancelHeartbeat();
    for (const cancel of this.#subscriptions) cancel();
    this.#subscriptions = [];
  }
}

/** `GET /api/events`; it does not end by itself. */
const streamEvents: Handler<{ events: Events; sessions: Sessions }> = (ctx, parts) => {
  if (ctx.method === "HEAD") {
    // No event follows, so the headers are the whole answer.
    ctx.status = 200;
    ctx.set(HEADERS);
    return;
  }
  parts.events.stream(ctx.res, sessionOf(ctx, parts.sessions));
  // Koa would end the response.
  ctx.respond = false;
};

function send<E extends keyof BoxEvents>(
  response: ServerResponse,
  event: E,
  data: BoxEvents[E],
): void {
  response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

export function startEvents({
  clock,
  routes,
  ends,
  ...parts
}: Pick<OwnerContext, "clock" | "routes" | "ends"> & Omit<EventsOptions, "clock">): void {
  const events = closeWith(ends, new Events({ clock, ...parts }));
  routes.owner({ events, sessions: parts.sessions }, { "GET /api/events": streamEvents });
}
