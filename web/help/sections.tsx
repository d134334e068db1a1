import { siteTokenKey } from "../../appliance/base/names.ts";
import type { TagPlace } from "../../appliance/traffic/collector/wire.ts";
import { Snippet } from "../shared/copy-button.tsx";

/** Instructions for keeping the owner's own visits out of the figures. */
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

/** Instructions for reading with the token of one site. */
export function ReadingToken({ site }: { site: string }) {
  return (
    <section aria-labelledby="reading-title">
      <h2 id="reading-title">A token that only reads this site</h2>
      <p>
        The admin token opens every site. For looking at one, and for anything you paste it into,
        use the site's own token: if it leaks, it shows one site's counters and nothing else. Make
        it in the control page of the machine, or on its command line:
      </p>
      <Snippet text={`tallydeck tokens make ${site}`} label="the command" />
      <p class="hint">
        It is shown once, and revokes the one before. A token of your own choice goes into{" "}
        <code>tallydeck.env</code> as <code>{siteTokenKey(site)}=…</code>
      </p>
    </section>
  );
}

/** Ways for visitors of a public site to reach a box at home. */
export function PublicSite({
  base,
  publicUrl,
  place,
}: {
  base: string;
  publicUrl: string | null;
  place: TagPlace | null;
}) {
  if (place !== null)
    return (
      <section id="reach" aria-labelledby="reach-title">
        <h2 id="reach-title">A public site and a machine at home</h2>
        <p>
          Visitors reach <code>{place.url}</code>, and what is counted there comes here by itself.
          They need not reach this machine. A test view proves the whole way.
        </p>
      </section>
    );
  return (
    <section id="reach" aria-labelledby="reach-title">
      <h2 id="reach-title">A public site and a machine at home</h2>
      {publicUrl === null ? (
        <NotReached base={base} />
      ) : (
        <p>
          The machine has a public address: <code>{publicUrl}</code>. The tag on this page holds it.
        </p>
      )}
      <p>
        No check on this page proves that visitors get in while you are in the machine's own
        network: many routers do not lead their own network's packets back in, so the public address
        may stay silent at home though it works for everybody else. Two things in the Web UI do
        prove it, both under Machine: “Test from the internet”, which asks the certificate authority
        to reach the machine; and “Tell it from your phone”, a link to open without Wi-Fi.
      </p>
    </section>
  );
}

function NotReached({ base }: { base: string }) {
  return (
    <>
      <p>
        You opened this page at <code>{base}</code>.{" "}
        {base.startsWith("https://")
          ? "That is an HTTPS address. If your visitors can open it too, nothing more is needed."
          : "That works for you, but your visitors are not in your network, and a page on https:// may load nothing from http://."}
      </p>
      <p>There are three ways, the easiest first:</p>
      <ol>
        <li>
          <strong>The machine itself.</strong> In the Web UI, under Machine, turn on “Public
          address” and give it a name. It asks the router for port 443 and gets its certificate.
        </li>
        <li>
          <strong>A small server of yours</strong>, where the provider lets nobody in (CGNAT,
          DS-Lite): the machine connects to it by WireGuard, and only you can read what goes
          through.
        </li>
        <li>
          <strong>Another machine</strong> in the same network with a tunnel or a reverse proxy.
          Name it in <code>TRUSTED_PROXIES</code>, so that visitors are told apart, and pass on the
          port that counts, no other: the Web UI and its port stay in your network.
        </li>
      </ol>
    </>
  );
}

const OWN_EVENTS = `<script>window.tallydeck ||= function () { (tallydeck.q ||= []).push(arguments) }</script>
<button data-tallydeck-event="signup" data-tallydeck-target="pro">Sign up</button>
<script>tallydeck("signup", "pro")</script>`;

/** The other things that can be placed: events, the badge, an app's ping and its survey. */
export function MoreSnippets({
  site,
  base,
  badge,
}: {
  site: string;
  base: string;
  /** its address: that of a place shows less */
  badge: string;
}) {
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
      <Snippet text={`![views](${badge})`} label="the badge" />
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
