import type { Clock } from "../../base/clock.ts";
import { isOn } from "../../base/input/deck-fields.ts";
import type { Log } from "../../base/log.ts";
import { Refusal } from "../../base/refusal.ts";
import type { Cancel } from "../../base/signal.ts";
import type { Decks } from "../decks.ts";
import type { Feedback } from "../face/feedback.ts";
import { channelOf } from "../face/widget.ts";
import type { Gesture } from "../hands/gestures.ts";
import type { Channels } from "../push/channels.ts";
import { type Action, lostSecret, type RequestAction, type Step } from "../settings/action.ts";
import type { RequestOutcome, RequestSender } from "./request-sender.ts";
import { filled, filledText, type TemplateValues } from "./template.ts";

interface ActionsOptions {
  clock: Clock;
  log: Pick<Log, "warn">;
  decks: Pick<Decks, "gestures" | "slotSettings" | "showFeedback" | "showPage" | "setAsleep">;
  channels: Pick<Channels, "get" | "set" | "clear" | "acknowledge">;
  outgoing: Pick<RequestSender, "send">;
}

/** An action of a key that takes its time: one at a time. */
interface Line {
  /** A gesture during the action; a turn is added to a waiting one. */
  next: Gesture | undefined;
}

const SHOWN_MS = 2_000;
/** A request that is over sooner does not flicker. */
const RUNNING_AFTER_MS = 150;

/** A step that takes its time. */
type Slow = RequestAction | Extract<Step, { do: "pause" }>;

const DONE: RequestOutcome = { ok: true, word: "" };

/** Does the actions of slots when they are pressed, held or turned. */
export class Actions {
  readonly #options: ActionsOptions;
  readonly #unsubscribe: Cancel;
  /** Actions under way that take their time, by slot. */
  readonly #lines = new Map<string, Line>();
  /** Ends pauses between steps. */
  readonly #pauses = new Set<() => void>();
  /** Timers that take the feedback from a slot again, or show that something runs. */
  readonly #timers = new Map<string, Cancel>();
  #closed = false;

  constructor(options: ActionsOptions) {
    this.#options = options;
    this.#unsubscribe = options.decks.gestures.on((gesture) => this.#take(gesture));
  }

  close(): void {
    this.#closed = true;
    this.#unsubscribe();
    for (const cancel of this.#timers.values()) cancel();
    for (const end of [...this.#pauses]) end();
  }

  #take(gesture: Gesture): void {
    const action = this.#actionOf(gesture);
    if (action === undefined) return;
    if (action.do === "request" || action.do === "sequence") {
      this.#queue(gesture);
      return;
    }
    const outcome = this.#try(action, gesture);
    if (outcome !== undefined) this.#tell(gesture, outcome);
  }

  /** @returns undefined where the key has nothing to say of it */
  #try(action: Exclude<Step, Slow>, gesture: Gesture): RequestOutcome | undefined {
    try {
      return this.#do(action, gesture) ? DONE : undefined;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { ok: false, word: WORDS[error.code] ?? "refused" };
    }
  }

  #actionOf({ deck, slot, page, kind }: Gesture): Action | undefined {
    return this.#options.decks.slotSettings(deck, slot, page)?.[kind];
  }

  /** @returns whether the key has to say that it was done @throws {Refusal} */
  #do(action: Exclude<Step, Slow>, gesture: Gesture): boolean {
    const { decks, channels } = this.#options;
    const { deck, slot } = gesture;
    switch (action.do) {
      case "acknowledge": {
        const channel = action.channel ?? this.#channelOf(gesture);
        return channel !== undefined && channels.acknowledge(channel, { by: "key", deck, slot });
      }
      case "send": {
        const { do: _, channel, text, ...push } = action;
        channels.set(channel, { ...push, text: filledText(text, this.#values(gesture)) });
        return true;
      }
      case "clear":
        channels.clear(action.channel);
        return true;
      case "toggle": {
        const channel = action.channel ?? this.#channelOf(gesture);
        if (channel === undefined) return false;
        const isNowOn = isOn(channels.get(channel)?.text ?? "") === true;
        channels.set(channel, { text: isNowOn ? "off" : "on", ttl: 0 });
        return true;
      }
      case "page":
        // The page that shows then says enough.
        decks.showPage(deck, pageFor(action.page, gesture));
        return false;
      case "sleep":
        decks.setAsleep(deck, true);
        return false;
    }
  }

  #queue(gesture: Gesture): void {
    const key = keyOf(gesture);
    const line = this.#lines.get(key);
    if (line !== undefined) {
      line.next = together(line.next, gesture);
      return;
    }
    const begun: Line = { next: undefined };
    this.#lines.set(key, begun);
    this.#send(gesture, begun)
      .catch((error: unknown) => {
        this.#options.log.warn(`The action of a key could not be sent or done: ${error}`);
        if (!this.#closed) this.#tell(gesture, { ok: false, word: "failed" });
      })
      .finally(() => this.#lines.delete(key));
  }

  /** Does the action of a gesture, and then of one made meanwhile, which a failure drops. */
  async #send(first: Gesture, line: Line): Promise<void> {
    for (let gesture: Gesture | undefined = first; gesture; gesture = line.next) {
      line.next = undefined;
      this.#awaits(gesture);
      // A gesture that waited does what the slot is set to now.
      const action = this.#actionOf(gesture);
      const outcome = (await this.#perform(action, gesture)) ?? DONE;
      if (this.#closed) return;
      this.#tell(gesture, outcome);
      if (!outcome.ok) return;
    }
  }

  async #perform(
    action: Action | Step | undefined,
    gesture: Gesture,
  ): Promise<RequestOutcome | undefined> {
    if (action === undefined) return DONE;
    switch (action.do) {
      case "request":
        return this.#sendOne(action, gesture);
      case "pause":
        await this.#pause(action.seconds);
        return DONE;
      case "sequence":
        for (const step of action.steps) {
          const outcome = await this.#perform(step, gesture);
          if (this.#closed || outcome?.ok === false) return outcome;
        }
        return DONE;
      default:
        return this.#try(action, gesture);
    }
  }

  #pause(seconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = () => {
      cancel();
      this.#pauses.delete(end);
      resolve();
    };
    const cancel = this.#options.clock.after(seconds * 1_000, end);
    this.#pauses.add(end);
    return promise;
  }

  async #sendOne(action: RequestAction, gesture: Gesture): Promise<RequestOutcome> {
    if (lostSecret(action) !== undefined) return { ok: false, word: "no secret" };
    try {
      return await this.#options.outgoing.send(filled(action, this.#values(gesture)));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { ok: false, word: error.code === "too_large" ? "too long" : "bad path" };
    }
  }

  #values(gesture: Gesture): TemplateValues {
    const { deck, slot, delta = 0 } = gesture;
    const channel = this.#channelOf(gesture) ?? "";
    const text = this.#options.channels.get(channel)?.text ?? "";
    return { channel, text, deck, slot, delta };
  }

  #channelOf({ deck, slot, page }: Gesture): string | undefined {
    const settings = this.#options.decks.slotSettings(deck, slot, page);
    return settings && channelOf(settings.widget);
  }

  #awaits(gesture: Gesture): void {
    const cancel = this.#options.clock.after(RUNNING_AFTER_MS, () =>
      this.#show(gesture, { state: "running" }),
    );
    this.#time(gesture, cancel);
  }

  #tell(gesture: Gesture, { ok, word }: RequestOutcome): void {
    this.#show(gesture, ok ? { state: "done" } : { state: "failed", word });
    const cancel = this.#options.clock.after(SHOWN_MS, () => {
      this.#timers.delete(keyOf(gesture));
      this.#show(gesture, undefined);
    });
    this.#time(gesture, cancel);
  }

  #time(gesture: Gesture, cancel: Cancel): void {
    const key = keyOf(gesture);
    this.#timers.get(key)?.();
    this.#timers.set(key, cancel);
  }

  #show({ deck, slot, page }: Gesture, feedback: Feedback | undefined): void {
    this.#options.decks.showFeedback({ deck, slot, page }, feedback);
  }
}

/** The words on a key for the refusal of an action that sends nothing. */
const WORDS: Partial<Record<Refusal["code"], string>> = {
  not_found: "no page",
  channel_limit: "full",
};

/** Gestures that wait: the newest, and all turns. */
function together(waiting: Gesture | undefined, next: Gesture): Gesture {
  const delta = (waiting?.delta ?? 0) + (next.delta ?? 0);
  return next.kind === "turn" && waiting?.kind === "turn" ? { ...next, delta } : next;
}

/** A dial that is turned back turns pages the other way. */
function pageFor(page: string, { delta = 0 }: Gesture): string {
  if (delta < 0 && page === "next") return "previous";
  return delta < 0 && page === "previous" ? "next" : page;
}

function keyOf({ deck, slot, page }: Gesture): string {
  return `${deck} ${slot} ${page}`;
}
