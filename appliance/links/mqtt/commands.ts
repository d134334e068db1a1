import type { Clock } from "../../base/clock.ts";
import { isObject } from "../../base/input/json.ts";
import { messageOf } from "../../base/message-of.ts";
import { invalidField, Refusal } from "../../base/refusal.ts";
import { TokenBuckets } from "../../base/token-buckets.ts";
import type { Decks } from "../../deck/decks.ts";
import { type Channels, channelName } from "../../deck/push/channels.ts";
import { PUSH_BYTES, readPush } from "../../deck/push/push-body.ts";
import { readCustom, readNotification } from "./awtrix.ts";
import type { Message } from "./client.ts";
import { commandIn, resultTopic } from "./topics.ts";

interface CommandsOptions {
  readonly channels: Channels;
  readonly decks: Decks;
  readonly clock: Clock;
  readonly log: { warn(line: string): void };
  /** The beginning of our topics. */
  readonly base: string;
  readonly others: (message: Message) => void;
  readonly answer: (topic: string, payload: string) => void;
}

/** The channel that messages without a channel of their own go to. */
const NOTICE_CHANNEL = "notify";
/** The same limit as by HTTP with all tokens together. */
const COMMANDS = { burst: 50, perSecond: 25 };
/** Beyond this the broker has to wait, since even discarding messages takes work. */
const MESSAGES = { burst: 2_000, perSecond: 2_000 };
const WAIT_MS = 250;
const LOG_EVERY_MS = 60_000;
const ALL = "all";
const WAITS = "More MQTT messages come in than the machine takes: the broker has to wait";
const TOO_MANY = "More MQTT commands come in than the machine takes: some are left out";
const KEPT = "MQTT commands that the broker has kept are not followed: send them without retain";
const REFUSED = "An MQTT command was refused: its answer says why";
const FAILED = { code: "internal_error", message: "Something went wrong on this machine." };

type MqttCommand = NonNullable<ReturnType<typeof commandIn>>;

/** Carries out commands on our topics, within limits of size and number. */
export class Commands {
  readonly #options: CommandsOptions;
  readonly #commands: TokenBuckets;
  readonly #messages: TokenBuckets;
  /** Channels that are cleared when their value expires. */
  readonly #fleeting = new Set<string>();
  readonly #saidAt = new Map<string, number>();
  readonly #unsubscribe: () => void;
  /** Releases the message that had to wait. */
  #goOn: () => void = () => {};
  #isClosed = false;

  constructor(options: CommandsOptions) {
    this.#options = options;
    this.#commands = new TokenBuckets(options.clock, COMMANDS);
    this.#messages = new TokenBuckets(options.clock, MESSAGES);
    this.#unsubscribe = options.channels.changed.on((channel) => this.#clearExpired(channel));
  }

  /** Ignores further commands, which still have to be read so that our last messages get through. */
  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    this.#goOn();
  }

  /** Handles a message. The next one follows after `done`. */
  take(message: Message, done: () => void): void {
    const wait = this.#messages.take(ALL);
    if (wait > 0 && !this.#isClosed) {
      this.#say(WAITS);
      const cancel = this.#options.clock.after(WAIT_MS, () => this.#goOn());
      this.#goOn = () => {
        cancel();
        done();
      };
      return;
    }
    if (!this.#isClosed) this.#take(message);
    done();
  }

  #take(message: Message): void {
    const { topic, payload, retain } = message;
    const command = commandIn(this.#options.base, topic);
    if (command === undefined) this.#options.others(message);
    else if (retain) this.#say(KEPT);
    else if (this.#commands.take(ALL) > 0) this.#say(TOO_MANY);
    else
      this.#do(command, payload).then(
        (answer) => this.#answer(topic, { ok: true, ...answer }),
        (error: unknown) => this.#refuse(topic, error),
      );
  }

  async #do(command: MqttCommand, payload: Uint8Array): Promise<object> {
    if (payload.length > PUSH_BYTES)
      throw new Refusal("too_large", `A command has at most ${PUSH_BYTES} bytes.`);
    const text = textOf(payload);
    switch (command.kind) {
      case "channel":
        return this.#push(command.channel, readPush(jsonOf(text)));
      case "acknowledge":
        return this.#acknowledge(command.channel);
      case "dismiss":
        return this.#acknowledge(NOTICE_CHANNEL);
      case "custom":
        return this.#custom(command.channel, text);
      case "notify":
        return this.#push(NOTICE_CHANNEL, readNotification(jsonOrText(text)));
      case "deck":
        return this.#turnKnob(command, text);
    }
  }

  #acknowledge(channel: string): object {
    return { seen: this.#options.channels.acknowledge(channel, { by: "mqtt" }) };
  }

  #push(name: string, push: Parameters<Channels["set"]>[1]): object {
    const channel = channelName(name);
    this.#fleeting.delete(channel);
    const { value, replaced, truncated } = this.#options.channels.set(channel, push);
    const bound = this.#options.decks.bound(channel);
    return { channel, expiresAt: value.expiresAt, bound, replaced, truncated };
  }

  #custom(name: string, text: string): object {
    const channel = channelName(name);
    const input = text.trim() === "" ? {} : jsonOf(text);
    if (!isObject(input))
      throw invalidField("body", 'must be a JSON object like {"text": "Hello"}.');
    if (Object.keys(input).length === 0) {
      this.#options.channels.clear(channel);
      return { channel };
    }
    const { push, isFleeting } = readCustom(input);
    const answer = this.#push(channel, push);
    if (isFleeting) this.#fleeting.add(channel);
    return answer;
  }

  async #turnKnob({ deck, what }: { deck: string; what: string }, text: string): Promise<object> {
    const { decks } = this.#options;
    switch (what) {
      case "brightness": {
        const number = text.trim() === "" ? Number.NaN : Number(text);
        const { brightness } = await decks.setUp.update(deck, { brightness: number });
        return { brightness };
      }
      case "page":
        decks.showPage(deck, text);
        return {};
      case "sleep":
        if (text !== "ON" && text !== "OFF") throw invalidField("sleep", "must be ON or OFF.");
        decks.setAsleep(deck, text === "ON");
        return {};
      default:
        throw new Refusal("not_found", `A deck has no "${what}" that could be set.`);
    }
  }

  #clearExpired(channel: string): void {
    if (!this.#fleeting.has(channel)) return;
    const state = this.#options.channels.get(channel)?.state;
    if (state === "live") return;
    this.#fleeting.delete(channel);
    if (state === "expired") this.#options.channels.clear(channel);
  }

  #refuse(topic: string, error: unknown): void {
    if (error instanceof Refusal) {
      const { code, message, field } = error;
      this.#say(REFUSED);
      this.#answer(topic, { ok: false, error: { code, message, ...(field && { field }) } });
      return;
    }
    this.#say(`An MQTT command failed: ${messageOf(error)}`);
    this.#answer(topic, { ok: false, error: FAILED });
  }

  #answer(topic: string, answer: object): void {
    this.#options.answer(resultTopic(topic), JSON.stringify(answer));
  }

  /** Logs a line, at a limited rate. */
  #say(line: string): void {
    const now = this.#options.clock.monotonic();
    const last = this.#saidAt.get(line);
    if (last !== undefined && now - last < LOG_EVERY_MS) return;
    this.#saidAt.set(line, now);
    this.#options.log.warn(line);
  }
}

/** @throws {Refusal} `invalid_field` */
function textOf(payload: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(payload);
  } catch {
    throw invalidField("body", "must be text in UTF-8.");
  }
}

/** @throws {Refusal} `invalid_json` */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal("invalid_json", "The message is not valid JSON.");
  }
}

/** A text in braces is meant as JSON; any other stays as it is. @throws {Refusal} `invalid_json` */
function jsonOrText(text: string): unknown {
  return text.trimStart().startsWith("{") ? jsonOf(text) : text;
}
