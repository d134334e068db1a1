import type { KeptDigest } from "../../base/input/digest.ts";
import { entryOf } from "../../base/input/json.ts";
import { Refusal } from "../../base/refusal.ts";
import type { SendOutcome } from "../../base/send-outcome.ts";
import type { WebhookForm } from "../../base/text/digest.ts";
import type { DigestPost, MadeDigest } from "./digests.ts";
import type { DigestFigures } from "./figures.ts";
import { escapedMarkup } from "./html.ts";
import { keyText, subjectOf, titleOf } from "./words.ts";

interface PostParts {
  /** Sends a request once. `word`: the status, or the reason that there is none. */
  readonly request: (
    request: ReturnType<typeof webhookRequestOf>,
  ) => Promise<{ readonly ok: boolean; readonly word: string }>;
  readonly mail: (
    mail: Readonly<Record<"to" | "subject" | "text" | "html", string>>,
  ) => Promise<SendOutcome>;
  /** Gives a push channel a text about a site, which stays. @throws {Refusal} where there is no room for the channel */
  readonly push: (channel: string, text: string, site: string) => void;
}

/** Sends digests to a webhook or a push channel. */
export function digestPost(parts: PostParts): DigestPost {
  return {
    async send(target, settings, digest) {
      if (target === "channel") return toChannel(parts, settings, digest);
      if (target === "webhook") return toWebhook(parts, settings, digest);
      const { figures, text, html } = digest;
      const to = target.slice("mail:".length);
      return parts.mail({ ...{ to, text, html }, subject: subjectOf(figures) });
    },
  };
}

function toChannel(
  { push }: PostParts,
  { channel }: KeptDigest,
  { figures }: MadeDigest,
): SendOutcome {
  try {
    if (channel !== null) push(channel, keyText(figures), figures.site);
    return { kind: "sent" };
  } catch (error) {
    if (error instanceof Refusal) return { kind: "again", why: error.message };
    throw error;
  }
}

/** Words of `RequestSender` for requests that cannot have arrived, each with a sentence for the owner. */
const NOT_TAKEN: Readonly<Record<string, string>> = {
  refused: "Nobody listens at the webhook's address.",
  "no host": "The name in the webhook's address is not known.",
  "no route": "No way leads to the webhook's address.",
  certificate: "The certificate at the webhook's address is not good for it.",
  "not allowed": "The webhook's address is not allowed any more: see Push, Allowed addresses.",
  busy: "The machine sent too many requests at once.",
  stopped: "The machine was stopped.",
};

async function toWebhook(
  { request }: PostParts,
  { webhook, form }: KeptDigest,
  digest: MadeDigest,
): Promise<SendOutcome> {
  if (webhook === null) return { kind: "sent" };
  const { ok, word } = await request(webhookRequestOf(webhook, form, digest));
  if (ok) return { kind: "sent" };
  const status = /^\d+$/.test(word) ? Number(word) : undefined;
  if (status !== undefined) {
    const why = `The webhook answered ${status}.`;
    return { kind: status >= 500 || [408, 425, 429].includes(status) ? "again" : "never", why };
  }
  const why = entryOf(NOT_TAKEN, word);
  if (why !== undefined) return { kind: "again", why };
  return { kind: "unsure", why: "The webhook did not answer, and may have taken it." };
}

/** A digest for a webhook. */
interface ForWebhook {
  readonly figures: DigestFigures;
  /** The digest as plain text. */
  readonly text: string;
}

/** The POST of a digest to a webhook, in the form that the service there wants. */
function webhookRequestOf(url: string, form: WebhookForm, digest: ForWebhook) {
  const { type, body, title } = FORMS[form](digest);
  return {
    method: "POST",
    url,
    headers: { "content-type": type, ...(title !== undefined && { title }) },
    body: Buffer.from(body),
  };
}

interface Formed {
  readonly type: string;
  readonly body: string;
  /** The title for ntfy. */
  readonly title?: string;
}

const FORMS: Readonly<Record<WebhookForm, (digest: ForWebhook) => Formed>> = {
  json: ({ figures, text }) => {
    const { pages, sources } = figures;
    const named = (values: typeof pages) => values.map(([name, count]) => ({ name, count }));
    const body = { ...figures, pages: named(pages), sources: named(sources), text };
    return { type: "application/json", body: JSON.stringify(body) };
  },
  // https://docs.ntfy.sh/publish/: the text is the body. Its first line is the title.
  ntfy: ({ figures, text }) => ({
    type: "text/plain; charset=utf-8",
    title: titleOf(figures),
    body: text.slice(text.indexOf("\n")).trim(),
  }),
  // https://api.slack.com/reference/surfaces/formatting: three characters are escaped.
  slack: ({ text }) => {
    // A block of fixed width ends at such a character, so it becomes another.
    const escaped = escapedMarkup(text).replaceAll("`", "ˋ");
    return {
      type: "application/json",
      body: JSON.stringify({ text: `\`\`\`\n${escaped}\n\`\`\`` }),
    };
  },
};
