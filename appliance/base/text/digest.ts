/** A digest of a site as its owner sets it. */
export interface DigestSettings {
  readonly enabled: boolean;
  readonly every: DigestSpan;
  /** The day of a weekly one: 0 = Sunday … 6 = Saturday. */
  readonly weekday: number;
  /** 0–23, in the zone of days. */
  readonly hour: number;
  /** Mail addresses, each of which gets a mail of its own. */
  readonly mail: readonly string[];
  /** The address of a webhook; null for none. */
  readonly webhook: string | null;
  readonly form: WebhookForm;
  /** The name of a push channel; null for none. */
  readonly channel: string | null;
}

/** The days of a digest: yesterday, or the seven days up to it. */
export type DigestSpan = (typeof DIGEST_SPANS)[number];
export type WebhookForm = (typeof WEBHOOK_FORMS)[number];

export const DIGEST_SPANS = ["day", "week"] as const;
export const WEBHOOK_FORMS = ["json", "ntfy", "slack"] as const;

export const MOST_ADDRESSES = 10;

export const NO_DIGEST: DigestSettings = {
  enabled: false,
  every: "week",
  weekday: 1,
  hour: 8,
  mail: [],
  webhook: null,
  form: "json",
  channel: null,
};

/** A recipient of a digest: a mail address, the webhook, or the channel. */
export type DigestTarget = `mail:${string}` | "webhook" | "channel";

/** The targets of a digest, in the order in which they are served. */
export function targetsOf({ mail, webhook, channel }: DigestSettings): DigestTarget[] {
  return [
    ...(channel === null ? [] : (["channel"] as const)),
    ...(webhook === null ? [] : (["webhook"] as const)),
    ...mail.map((address) => `mail:${address}` as const),
  ];
}

/** One digest to one target. Times are epoch milliseconds. */
export interface Delivery {
  readonly target: DigestTarget;
  /**
   * `due`: waits for its first or next try; `trying`: since `at`, with an unknown end; `failed`: was refused, and
   * is not tried again; `unsure`: may have arrived, and is not tried again.
   */
  readonly state: "due" | "trying" | "sent" | "failed" | "unsure";
  readonly tries: number;
  /** The time of the last try; 0 before. */
  readonly at: number;
  /** The reason that it was not sent, in a sentence; empty before the first try, and once it was sent. */
  readonly why: string;
}

export interface DeliveryView extends Omit<Delivery, "tries"> {
  /** The time of the next try; null for none. */
  readonly next: number | null;
}

/** The state of a site's digest. Times are epoch milliseconds. */
export interface DigestStanding {
  /** The time of the next digest; null for none. */
  readonly next: number | null;
  /** The last that was due. */
  readonly last: { readonly dueAt: number; readonly deliveries: readonly DeliveryView[] } | null;
}
