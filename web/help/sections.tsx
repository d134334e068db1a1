import { siteTokenKey } from "../../appliance/base/names.ts";
import { Snippet } from "../shared/copy-button.tsx";

/** How the owner keeps out of the figures. */
export function OwnVisits({ origin }: { origin: string }) {
  const site = URL.canParse(origin) ? new URL(origin).origin : "https://example.com";
  return (
    <section aria-labelledby="own-title">
      <h2 id="own-title">Leave your own visits out</h2>
      <p>
        Open any page of your site once with <code>#tallydeck-ignore</code> at the end of its
        address. From then on nothing is counted from that browser. Open it again to be counted
        again. Do it in each browser you use.
      </p>
      <Snippet text={`${site}/#tallydeck-ignore`} label="the address" />
    </section>
  );
}

/** Why and how to read with the token of one site. */
export function ReadingToken({ site }: { site: string }) {
  return (
    <section aria-labelledby="reading-title">
      <h2 id="reading-title">A token that only reads this site</h2>
      <p>
        The admin token opens every site. For looking at one, and for anything you paste it into,
        use the site's own token: if it leaks, it shows one site's counters and nothing else. Make
        it in the control page of the box, or on its command line:
      </p>
      <Snippet text={`tallydeck tokens make ${site}`} label="the command" />
      <p class="hint">
        It is shown once. A token of your own choice goes into <code>tallydeck.env</code> as{" "}
        <code>{siteTokenKey(site)}=…</code>
      </p>
    </section>
  );
}

/** How visitors of a public site reach a box at home. */
export function PublicSite({ base }: { base: string }) {
  const isSecure = base.startsWith("https://");
  return (
    <section id="reach" aria-labelledby="reach-title">
      <h2 id="reach-title">A public site and a box at home</h2>
      <p>
        You opened this page at <code>{base}</code>.{" "}
        {isSecure
          ? "That is an HTTPS address. If your visitors can open it too, nothing more is needed."
          : "That works for you, but your visitors are not in your network, and a page on https:// may load nothing from http://."}
      </p>
      <p>
        The box needs a name and an HTTPS address that the whole internet can open. Two usual ways,
        both of which end in the same tag with that address in it:
      </p>
      <ul>
        <li>
          <strong>A tunnel</strong> to a provider (Cloudflare Tunnel, Tailscale Funnel or the like)
          from another machine in the box's network. Nothing is opened on your router. Point it at
          the collector.
        </li>
        <li>
          <strong>A reverse proxy</strong> (Caddy, nginx) with a certificate, on another machine in
          the box's network or on a server you have, and your router's port 443 forwarded to it. It
          may sit under a path of your site's own domain, such as{" "}
          <code>https://example.com/count/</code>, which content blockers leave alone more often.
        </li>
      </ul>
      <p>
        Either way, name the proxy in <code>TRUSTED_PROXIES</code> so that visitors are told apart
        by their own addresses, and expose the collector only: the control page and its port stay in
        your network. To see whether it works, open this page at the public address from a phone
        without Wi-Fi.
      </p>
    </section>
  );
}

const OWN_EVENTS = `<script>window.tallydeck ||= function () { (tallydeck.q ||= []).push(arguments) }</script>
<button data-tallydeck-event="signup" data-tallydeck-target="pro">Sign up</button>
<script>tallydeck("signup", "pro")</script>`;

/** What else can be placed: events, the badge, an app's ping and its survey. */
export function MoreSnippets({ site, base }: { site: string; base: string }) {
  return (
    <section aria-labelledby="more-title">
      <h2 id="more-title">More to place</h2>
      <h3>Events of your own</h3>
      <p>
        Mark what is clicked, or call <code>tallydeck</code> from a script. The first line lets
        calls wait until the tag is loaded.
      </p>
      <Snippet text={OWN_EVENTS} label="the events" />
      <h3>A badge for a README</h3>
      <p>
        Only for sites named in <code>BADGE_SITES</code> or switched on in the control page: it
        shows the count to everyone.
      </p>
      <Snippet text={`![views](${base}/badge?site=${site})`} label="the badge" />
      <h3>A desktop app's daily ping</h3>
      <p>Once a day and install, with what you want to know; every field may be left out.</p>
      <Snippet text={pingCode(base, site)} label="the ping" />
      <h3>A desktop app's survey</h3>
      <Snippet text={surveyCommand(base, site)} label="the survey" />
    </section>
  );
}

function pingCode(base: string, site: string): string {
  return `const ping = { v: "1.2.3", os: "macos", ov: "macos-15", tz: "UTC+01:00", country: "de-DE" };
const v = btoa(encodeURIComponent(JSON.stringify(ping)));
fetch("${base}/a?s=${site}&v=" + encodeURIComponent(v));`;
}

function surveyCommand(base: string, site: string): string {
  return `curl "${base}/s?s=${site}" --json '{"sv":1,"os":"linux","v":"1.2.3","a":{"nps":"9"},"c":"Works well."}'`;
}
