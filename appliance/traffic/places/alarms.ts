import { type Clock, every } from "../../base/clock.ts";
import { readDocument } from "../../base/documents.ts";
import type { Cancel } from "../../base/signal.ts";
import { type Numbers, PLACE_ALARMS, type PlaceAlarmBody } from "../../store/store.ts";
import type { KnownPlace, Places } from "./places.ts";

const LOOK_EVERY_MS = 60_000;
const NONE: PlaceAlarmBody = { webhook: null, firing: null };

/** The begin or end of a trouble with a place. Each is told once, also over restarts. */
interface PlaceAlarm {
  /** Its name. */
  readonly place: string;
  readonly alarm: NonNullable<PlaceAlarmBody["firing"]>["alarm"];
  readonly state: "firing" | "resolved";
  /** The last answer before it, or the moment of the lie (epoch ms). */
  readonly since: number;
  readonly text: string;
}

interface AlarmsParts {
  readonly numbers: Pick<Numbers, "read" | "write">;
  readonly clock: Pick<Clock, "now" | "after">;
  readonly places: Pick<Places, "list" | "figures">;
  /** Sends an alarm to the owner's URL. Resolves at the end, even after a failure. */
  readonly send: (webhook: string, alarm: PlaceAlarm) => Promise<unknown>;
}

/** Tells the webhook of each place, once a minute, that nothing comes from there, and that it does again. */
export class PlaceAlarms {
  readonly #parts: AlarmsParts;
  readonly #stop: Cancel;
  #looking: Promise<unknown> = Promise.resolve();
  #telling: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(parts: AlarmsParts) {
    this.#parts = parts;
    this.#stop = every(parts.clock, LOOK_EVERY_MS, () => void this.#inOrder(() => this.#look()));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stop();
    await this.#looking.catch(() => {});
  }

  /** The webhooks by place, of those that have one. */
  async webhooks(): Promise<ReadonlyMap<string, string | null>> {
    return new Map([...(await this.#all())].map(([id, { webhook }]) => [id, webhook]));
  }

  /** Tells another webhook from now on, or none; what stands is not told again. */
  setWebhook(id: string, webhook: string | null): Promise<void> {
    return this.#inOrder(async () => this.#keep(id, { ...(await this.#kept(id)), webhook }));
  }

  /** Ends the alarm of a place from which nothing is fetched any more. */
  end({ id, place }: KnownPlace): Promise<void> {
    return this.#inOrder(async () => {
      const kept = await this.#kept(id);
      await this.#keep(id, NONE);
      this.#tell(place.name, kept, "resolved", "it is fetched from no more");
    });
  }

  #inOrder(task: () => Promise<void>): Promise<void> {
    const done = this.#looking.catch(() => {}).then(task);
    this.#looking = done;
    // A look that fails is followed by the next one.
    done.catch(() => {});
    return done;
  }

  async #look(): Promise<void> {
    const { places } = this.#parts;
    // A question each minute would keep a reader that could rest.
    if (this.#isClosed || places.figures().length === 0) return;
    const all = await this.#all();
    for (const known of await places.list()) {
      const kept = all.get(known.id) ?? NONE;
      if (kept.webhook !== null) await this.#judge(known, kept);
    }
  }

  async #judge({ id, place, state, problem, isSilent }: KnownPlace, kept: PlaceAlarmBody) {
    const { name, lie } = place;
    const now = this.#parts.clock.now();
    const at = state?.at ?? 0;
    if (kept.firing === null && (lie !== null || isSilent)) {
      const alarm = lie === null ? "silent" : "not_believed";
      const since = lie === null && at > 0 ? at : now;
      const next = { ...kept, firing: { alarm, since } } as const;
      await this.#keep(id, next);
      const why = problem === null ? "" : `: ${problem}`;
      const said =
        lie === null ? `nothing was fetched for ten minutes${why}` : `it is not believed. ${lie}`;
      this.#tell(name, next, "firing", said.replace(/\.$/, ""));
    } else if (kept.firing !== null && lie === null && at > kept.firing.since) {
      await this.#keep(id, { ...kept, firing: null });
      this.#tell(name, kept, "resolved", "what it counts comes again");
    }
  }

  #tell(
    place: string,
    { webhook, firing }: PlaceAlarmBody,
    state: PlaceAlarm["state"],
    said: string,
  ): void {
    if (webhook === null || firing === null) return;
    const { alarm, since } = firing;
    const text = `${place}: ${said}.`;
    // One by one, so that a begin precedes its end.
    this.#telling = this.#telling.then(async () => {
      if (!this.#isClosed) await this.#parts.send(webhook, { place, alarm, state, since, text });
    });
  }

  async #kept(id: string): Promise<PlaceAlarmBody> {
    return (await this.#all()).get(id) ?? NONE;
  }

  async #all(): Promise<ReadonlyMap<string, PlaceAlarmBody>> {
    const rows = await this.#parts.numbers.read("shared", { kind: PLACE_ALARMS.name });
    return new Map(rows.map(({ id, body }) => [id, readDocument(PLACE_ALARMS, id, body)]));
  }

  async #keep(id: string, body: PlaceAlarmBody): Promise<void> {
    const { name, bound } = PLACE_ALARMS;
    const isNone = body.webhook === null;
    const put = isNone ? [] : [{ id, body: JSON.stringify(body) }];
    const change = { kind: { name, bound, of: "fleet" }, put, remove: isNone ? [id] : [] } as const;
    await this.#parts.numbers.write("changePlaces", [change]);
  }
}
