import { htmlText, plainPage } from "../../../base/text/html-text.ts";
import { networkNameText } from "../../ipc/wifi-text.ts";
import type { SeenNetwork } from "../radio.ts";

/** The content of the form. A password is never put back. */
export interface FormContent {
  /** Ties a form to this set-up. */
  readonly token: string;
  /** The networks of the last scan. */
  readonly networks: readonly SeenNetwork[];
  /** The countries to choose from, as two letters. */
  readonly countries: readonly string[];
  /** The country that is chosen, or that the box knows; empty for none. */
  readonly country: string;
  /** The chosen network: `choiceOf` one of them, `other`, or empty. */
  readonly choice: string;
  /** The typed name. */
  readonly typed: string;
  readonly isHidden: boolean;
  /** A sentence about what was wrong, or about the last network that was not joined; empty for none. */
  readonly trouble: string;
}

/** The most networks on the page: the strongest. */
const MOST_SHOWN = 30;

/** The value by which a form names a network. */
export function choiceOf({ ssid, isOpen }: Pick<SeenNetwork, "ssid" | "isOpen">): string {
  return `${isOpen ? "open" : "psk"}-${ssid}`;
}

/** The page with the form. It needs neither script nor cookie: sheets of phones have neither for sure. */
export function formPage(content: FormContent): string {
  const { token, networks, countries, country, choice, typed, isHidden, trouble } = content;
  const shown = networks.slice(0, MOST_SHOWN);
  const isOther = choice === "other" || (choice === "" && shown.length === 0);
  return page(
    "Wi-Fi for Tallydeck",
    `<h1>Wi-Fi for Tallydeck</h1>
${trouble === "" ? "" : `<p class="trouble" role="alert">${htmlText(trouble)}</p>`}
<form method="post" action="/" autocomplete="off">
<input type="hidden" name="token" value="${htmlText(token)}">
<label class="field">Country
<select name="country">${countryOptions(countries, country)}</select></label>
<fieldset><legend>Network</legend><div class="list">
${shown.map((network) => networkChoice(network, choice)).join("\n")}
${choiceRow("other", isOther, "Another one", "")}
<div class="other"><label class="field">Its name
<input name="typed" maxlength="32" value="${htmlText(typed)}" ${PLAIN_INPUT}></label>
<label class="row"><input type="checkbox" name="hidden" value="1"${isHidden ? " checked" : ""}><span>It does not show its name</span></label></div></div>
</fieldset>
<div class="secret"><input type="checkbox" id="show"><label for="show">Show</label>
<label class="field" for="password">Password</label>
<input id="password" name="password" maxlength="64" ${PLAIN_INPUT}></div>
<p class="note">This network ends when you join. Then look at the deck or the screen: it says what came of it.</p>
<button>Join</button>
</form>
<form method="post" action="/again"><input type="hidden" name="token" value="${htmlText(token)}">
<button class="quiet">Look for networks again</button>
<p class="note">That ends this network for about twenty seconds.</p></form>`,
  );
}

/** The last page of a set-up, which ends the network. */
export function lastPage(network: string): string {
  return page(
    "Look at the deck",
    `<h1>This network ends now.</h1>
<p class="big">Look at the deck.</p>
<p>Tallydeck joins <bdi>${htmlText(network)}</bdi>. Its deck or its screen shows in a minute what came of it, and then its address. If it does not work, this network comes back.</p>`,
  );
}

/** The page while the network ends for a new look. */
export function lookingPage(): string {
  return page(
    "Looking for networks",
    `<h1>Looking for networks</h1>
<p class="big">This network ends for about twenty seconds.</p>
<p>Then join it again: its code and its key stay as they are.</p>`,
  );
}

/** A page that says why something is not done. */
export function refusalPage(sentence: string): string {
  return page(
    "Wi-Fi for Tallydeck",
    `<h1>Wi-Fi for Tallydeck</h1>
<p class="trouble" role="alert">${htmlText(sentence)}</p>
<p><a class="button" href="/">Back to the form</a></p>`,
  );
}

/** An input for what is no word: keyboards change nothing in it. */
const PLAIN_INPUT = 'autocapitalize="none" autocorrect="off" autocomplete="off" spellcheck="false"';

function countryOptions(countries: readonly string[], chosen: string): string {
  const names = new Intl.DisplayNames("en", { type: "region" });
  const options = countries
    .map((code) => ({ code, name: names.of(code) ?? code }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(
      ({ code, name }) =>
        `<option value="${code}"${code === chosen ? " selected" : ""}>${htmlText(name)}`,
    );
  return `<option value="">Choose …${options.join("")}`;
}

function networkChoice(network: SeenNetwork, choice: string): string {
  const name = networkNameText(Buffer.from(network.ssid, "hex"));
  const words = strengthWords(network.signal);
  const about = network.isOpen ? `${words}, open` : words;
  return choiceRow(choiceOf(network), choiceOf(network) === choice, name, about);
}

function choiceRow(value: string, isChosen: boolean, name: string, about: string): string {
  const checked = isChosen ? " checked" : "";
  const small = about === "" ? "" : ` <small>${about}</small>`;
  return `<label class="row"><input type="radio" name="network" value="${value}"${checked} required><span><bdi>${htmlText(name)}</bdi>${small}</span></label>`;
}

/** The strength in a word, by the level in dBm. */
function strengthWords(signal: number): string {
  return signal >= -60 ? "strong" : signal >= -72 ? "good" : "weak";
}

const page = (title: string, body: string) => plainPage(title, STYLE, body);

/** The password is hidden by a style, so that showing it needs no script. */
const STYLE = `
:root{color-scheme:light dark;--ink:#1b1d22;--quiet:#5a606b;--paper:#f4f5f7;--card:#fff;--line:#c3c7cf;--accent:#0a5fd0;--on:#fff;--bad:#a3160a;--badback:#fdeceb}
@media(prefers-color-scheme:dark){:root{--ink:#eceef2;--quiet:#a5acb8;--paper:#121418;--card:#1d2026;--line:#454b57;--accent:#7db4ff;--on:#0b1523;--bad:#ffb4ab;--badback:#3a1512}}
main{max-width:30rem;margin:0 auto;padding:16px}
.big{font-size:1.25rem;font-weight:600}
.note,small{color:var(--quiet);font-size:.9rem}
.note{margin:12px 2px}
small{white-space:nowrap}
.field{display:block;font-weight:600}.list{border:1px solid var(--line);border-radius:10px;overflow:hidden;background:var(--card)}
select,input:not([type=radio]):not([type=checkbox]):not([type=hidden]){display:block;width:100%;min-height:48px;margin-top:6px;padding:10px 12px;border:1px solid var(--line);border-radius:10px;background:var(--card);color:inherit;font:inherit;font-weight:400}
fieldset{margin:18px 0;padding:0;border:0;min-width:0}
legend{font-weight:600;padding:0;margin-bottom:6px}
.row{display:flex;align-items:center;gap:12px;min-height:48px;padding:6px 12px;border-bottom:1px solid var(--line);margin-bottom:-1px;position:relative}
.row>input,#show{flex:none;width:22px;height:22px;margin:0;accent-color:var(--accent)}
.row span{min-width:0}
.other{display:none;padding:12px;border-top:1px solid var(--line)}
.other .row{border:0;padding:6px 0;margin:6px 0 -6px}
fieldset:has([value=other]:checked) .other{display:block}
@supports not selector(:has(*)){.other{display:block}}
.secret{display:grid;grid-template-columns:1fr auto auto;align-items:center;column-gap:8px}
.secret .field{grid-area:1/1}
#show{grid-area:1/2}
.secret label[for=show]{grid-area:1/3;min-height:44px;display:flex;align-items:center;padding-right:4px}
#password{grid-area:2/1/2/4}
#show:not(:checked)~#password{-webkit-text-security:disc}
button,.button{display:flex;align-items:center;justify-content:center;width:100%;min-height:50px;border:0;border-radius:10px;background:var(--accent);color:var(--on);font:inherit;font-weight:600;text-decoration:none}
.quiet{background:none;color:var(--accent);border:1px solid var(--line);margin-top:24px}
`;
