/** A text as HTML takes it, outside of tags and in quoted attributes. */
export function htmlText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign);
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * A page that needs neither script nor cookie.
 * @param style its own rules, with the colours by their names
 * @param body HTML
 */
export function plainPage(title: string, style: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${title}</title>
<style>${PLAIN_STYLE}${style}</style></head><body><main>
${body}
</main></body></html>
`;
}

const PLAIN_STYLE = `
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:17px/1.4 system-ui,-apple-system,Roboto,"Segoe UI",sans-serif;overflow-wrap:anywhere}
h1{font-size:1.4rem;line-height:1.2;margin:8px 0 16px}
.trouble{background:var(--badback);color:var(--bad);border-radius:10px;padding:12px 14px;font-weight:600}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}`;
