/** A digest of a site as its owner sets it. */
export interface DigestSettings {
  readonly enabled: boolean;
  readonly every: DigestSpan;
  /** The day of a weekly one: 0 = Sunday … 6 = Saturday. */
  readonly weekday: number;
  /** 0–23, in the zone of days. */
  readonly hour: number;
  /** The address of a webhook; null for none. */
  readonly webhook: string | null;
  readonly form: WebhookForm;
  /** The name of a push channel; null for none. */
  readonly channel: string | null;
}

/** The days that a digest is about: yesterday, or the seven until then. */
export type DigestSpan = (typeof DIGEST_SPANS)[number];
export type WebhookForm = (typeof WEBHOOK_FORMS)[number];

export const DIGEST_SPANS = ["day", "week"] as const;
export const WEBHOOK_FORMS = ["json", "ntfy", "slack"] as const;

export const NO_DIGEST: DigestSettings = {
  enabled: false,
  every: "week",
  weekday: 1,
  hour: 8,
  webhook: null,
  form: "json",
  channel: null,
};

/** A way that a digest goes: a mail to an address, the webhook, or the channel. */
export type DigestTarget = `mail:${string}` | "webhook" | "channel";

/** The targets of a digest, in the order in which they are served. */
export function targetsOf({ webhook, channel }: DigestSettings): DigestTarget[] {
  return [
    ...(channel === null ? [] : (["channel"] as const)),
    ...(webhook === null ? [] : (["webhook"] as const)),
  ];
}

/** One digest to one target. Times are epoch milliseconds. */
export interface Delivery {
  readonly target: DigestTarget;
  /**
   * `due`: to be sent, or to be tried again; `trying`: since `at`, its end is not known; `failed`: it was not taken, and
   * is not tried again; `unsure`: it may have been taken, and is not tried again.
   */
  readonly state: "due" | "trying" | "sent" | "failed" | "unsure";
  readonly tries: number;
  /** When it was tried last; 0 before. */
  readonly at: number;
  /** Why it was not sent, in a sentence; empty before it was tried, and once it was sent. */
  readonly why: string;
}

/** A delivery as people are shown it. */
export interface DeliveryView extends Omit<Delivery, "tries"> {
  /** When it is tried again; null where it is not. */
  readonly next: number | null;
}

/** How the digest of a site stands. Times are epoch milliseconds. */
export interface DigestStanding {
  /** When the next is due; null where none is. */
  readonly next: number | null;
  /** The last that was due. */
  readonly last: { readonly dueAt: number; readonly deliveries: readonly DeliveryView[] } | null;
}
