import type { WebhookForm } from "../base/text/digest.ts";
import type { DigestFigures } from "./figures.ts";
import { escapedMarkup } from "./html.ts";
import { titleOf } from "./words.ts";

/** A digest for a webhook. */
interface ForWebhook {
  readonly figures: DigestFigures;
  /** The digest as plain text. */
  readonly text: string;
}

/** The POST of a digest to a webhook, in the form that the service there wants. */
export function webhookRequestOf(url: string, form: WebhookForm, digest: ForWebhook) {
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
