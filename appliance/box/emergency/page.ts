import { htmlText, plainPage } from "../../base/text/html-text.ts";
import type { Known } from "./known.ts";

/** The ways out, by the buttons of the form. */
export const WAYS_OUT = ["try", "log", "other", "erase"] as const;
export type WayOut = (typeof WAYS_OUT)[number];

interface OwnerContent {
  readonly known: Known;
  /** The name of the machine, which its owner types before all is erased. */
  readonly name: string;
  /** A sentence about the form that was sent; empty for none. */
  readonly trouble: string;
  /** The end of the log, once its owner has asked for it. */
  readonly log?: readonly string[] | undefined;
}

/** The page at the Web UI's port, with all ways out. It needs no script and no cookie. */
export function ownerPage({ known, name, trouble, log }: OwnerContent): string {
  const { release, slot, other, told } = known;
  const facts = [
    ...(release === undefined ? [] : [`Release ${release}`]),
    ...(slot === undefined ? [] : [`system ${slot.toUpperCase()} of the card`]),
  ].join(", ");
  return page(
    `<h1>Tallydeck cannot start</h1>
${trouble === "" ? "" : `<p class="trouble" role="alert">${htmlText(trouble)}</p>`}
<p class="big">${htmlText(known.why)}</p>
<p>Nothing is counted and no push is shown meanwhile. It is tried again by itself every ten minutes.</p>
${facts === "" ? "" : `<p>${htmlText(facts)}.</p>`}
${told.map((sentence) => `<p>${htmlText(sentence)}</p>`).join("\n")}
${log === undefined ? "" : logPart(log)}
<form method="post" action="/" autocomplete="off">
<label class="field">The code on the deck or the screen
<input name="code" inputmode="numeric" pattern="[0-9]{6}" maxlength="6" required></label>
<button name="do" value="try">Try to start it</button>
<button class="quiet" name="do" value="log">Show the end of the log</button>
${
  other === undefined
    ? `<p class="note">There is no other system on this card to go to now.</p>`
    : `<button class="quiet" name="do" value="other">Go to the other system, ${htmlText(other)}</button>`
}
<details><summary>Back to the beginning</summary>
<p>All data on this card is erased, and the set-up begins anew. It waits ten seconds before it does.</p>
<label class="field">The name of this machine, <bdi>${htmlText(name)}</bdi>
<input name="name" maxlength="64" autocapitalize="none" autocorrect="off" spellcheck="false"></label>
<button class="bad" name="do" value="erase">Erase all data</button></details>
</form>
<h2>Restore a backup</h2>
<p>The service itself restores backups, so one of these two comes first. The other system uses the data that is there, and its Web UI restores a backup. After the beginning, the set-up offers the newest backup of a USB stick, and takes a file.</p>
<h2>Without a code</h2>
<p>A file named RESET on the card’s small partition, or a jumper over pins 25 and 26 of the board, leads back to the beginning. A jumper over pins 5 and 6 starts the other system. Jumpers are put on while the power is off.</p>`,
  );
}

function logPart(log: readonly string[]): string {
  if (log.length === 0) return "<p>No log was kept of the failure.</p>";
  return `<h2>The end of the log</h2><pre tabindex="0">${log.map(htmlText).join("\n")}</pre>`;
}

/** The page of something that begins now, which looks again by itself. */
export function soonPage(title: string, sentence: string): string {
  return page(`<h1>${htmlText(title)}</h1><p class="big">${htmlText(sentence)}</p>
<p><a class="button" href="/">Look again</a></p>`);
}

/** The page of a reset that is counting down. @param token of a form of this program */
export function countingPage(words: string, token: string): string {
  return page(`<h1>Back to the beginning</h1><p class="big">${htmlText(words)}</p>
<form method="post" action="/"><input type="hidden" name="token" value="${htmlText(token)}">
<button name="do" value="stop">Stop</button></form>`);
}

/** The page for visitors, who learn nothing of the machine. */
export function visitorPage(): string {
  return page(`<h1>Out of order for now</h1>
<p>Whoever runs this machine finds out more at its Web UI, on port 3000 of the own network.</p>`);
}

const page = (body: string) => plainPage("Tallydeck", STYLE, body);

const STYLE = `
:root{color-scheme:light dark;--ink:#1b1d22;--quiet:#5a606b;--paper:#f4f5f7;--card:#fff;--line:#8a909b;--accent:#0a5fd0;--on:#fff;--bad:#a3160a;--badback:#fdeceb}
@media(prefers-color-scheme:dark){:root{--ink:#eceef2;--quiet:#a5acb8;--paper:#121418;--card:#1d2026;--line:#6b7280;--accent:#7db4ff;--on:#0b1523;--bad:#ffb4ab;--badback:#3a1512}}
main{max-width:34rem;margin:0 auto;padding:16px}
h2{font-size:1.1rem;margin:28px 0 8px}
.big{font-size:1.15rem;font-weight:600}
.note{color:var(--quiet)}
.field{display:block;font-weight:600;margin-top:16px}
input{display:block;width:100%;min-height:48px;margin-top:6px;padding:10px 12px;border:1px solid var(--line);border-radius:10px;background:var(--card);color:inherit;font:inherit;font-weight:400}
summary{min-height:48px;padding:12px 0;font-weight:600;cursor:pointer}
pre{max-width:100%;overflow:auto;background:var(--card);border:1px solid var(--line);border-radius:10px;padding:12px;font-size:.8rem;white-space:pre-wrap}
button,.button{display:flex;align-items:center;justify-content:center;width:100%;min-height:50px;margin-top:14px;border:0;border-radius:10px;background:var(--accent);color:var(--on);font:inherit;font-weight:600;text-decoration:none}
.quiet{background:none;color:var(--accent);border:1px solid var(--line)}
.bad{background:none;color:var(--bad);border:1px solid var(--bad)}
`;
