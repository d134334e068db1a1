/** A text as HTML and Slack take it, outside of tags. */
export function escapedMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
