import { type Documents, documentKind, ONLY, objectOf } from "../../base/documents.ts";
import { isHost, isMailAddress } from "../../base/names.ts";
import { invalidField } from "../../base/refusal.ts";
import type { SendOutcome } from "../../base/send-outcome.ts";
import { Signal } from "../../base/signal.ts";
import { readCa } from "../../base/system/certificates.ts";
import { Mutex } from "../../base/tasks/mutex.ts";
import { expectUser } from "../credentials.ts";
import type { Mail } from "./client.ts";
import { FIRST_MAIL_SETTINGS, type LastMail, MAIL_FIELDS, type MailSettings } from "./settings.ts";

export const MAIL = documentKind<MailSettings>("mail", objectOf({}, MAIL_FIELDS), {
  bound: { count: 1, bytes: 65_536, together: 65_536 },
  inBackup: "own",
});

interface MailServerOptions {
  readonly documents: Documents<MailSettings>;
  readonly now: () => number;
}

const NONE: SendOutcome = {
  kind: "again",
  why: "The machine knows no mail server yet. Name one under Machine.",
};

/** The mail server of the box's owner, none until one is named. */
export class MailServer {
  readonly changed = new Signal();
  readonly #options: MailServerOptions;
  readonly #mutex = new Mutex();
  readonly #stop = new AbortController();
  #settings: MailSettings;
  #last: LastMail | null = null;

  private constructor(options: MailServerOptions, settings: MailSettings) {
    this.#options = options;
    this.#settings = settings;
  }

  static async open(options: MailServerOptions): Promise<MailServer> {
    const [stored] = await options.documents.list();
    return new MailServer(options, { ...FIRST_MAIL_SETTINGS, ...stored?.body });
  }

  get settings(): MailSettings {
    return this.#settings;
  }

  get isSet(): boolean {
    return this.#settings.host !== "";
  }

  /** Null before there was one. */
  get last(): LastMail | null {
    return this.#last;
  }

  /** @throws {Refusal} `invalid_field`, and the refusals of the store; then nothing has changed */
  async change(given: MailSettings): Promise<void> {
    const settings = checkMailSettings(given);
    await this.#mutex.runExclusive(async () => {
      await this.#options.documents.change({ put: [{ id: ONLY, body: settings }] });
      this.#settings = settings;
      this.#last = null;
      this.changed.emit();
    });
  }

  /** Sends a mail, one after the other; never rejects for what the server does. */
  send(mail: Mail): Promise<SendOutcome> {
    return this.#mutex.runExclusive(async () => {
      const settings = this.#settings;
      if (settings.host === "") return NONE;
      // Memory of a box that sends no mail.
      const { sendMail } = await import("./client.ts");
      const outcome = await sendMail(settings, mail, this.#stop.signal);
      const problem = outcome.kind === "sent" ? null : outcome.why;
      this.#last = { at: this.#options.now(), problem };
      return outcome;
    });
  }

  close(): void {
    this.#stop.abort();
  }
}

/**
 * Settings as a person gave them, in the form in which they are kept. An empty host takes the server away, with all of it.
 * @throws {Refusal} `invalid_field`
 */
function checkMailSettings(given: MailSettings): MailSettings {
  const host = given.host.trim().toLowerCase();
  if (host === "") return FIRST_MAIL_SETTINGS;
  if (!isHost(host) || /:\d+$/.test(host))
    throw invalidField(
      "host",
      "must be a mail server's name like mail.example.org, without a port.",
    );
  const from = given.from.trim();
  if (!isMailAddress(from))
    throw invalidField("from", "must be a mail address like me@example.org.");
  expectUser(given);
  return { ...given, host, from, ca: readCa(given.ca) };
}
