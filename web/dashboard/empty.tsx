import { scriptTag } from "../../appliance/base/ports.ts";
import { baseUrl } from "../shared/collector.ts";
import { Snippet } from "../shared/copy-button.tsx";
import { usePublicAddress } from "../shared/public-address.ts";
import type { History } from "./history.ts";

interface EmptyProps {
  history: History;
  token: string;
  refresh: () => void;
}

/** The page of a site without counts: its tag, and the usual problems. */
export function Empty({ history: { site, only }, token, refresh }: EmptyProps) {
  const { url, place } = usePublicAddress(site, token);
  if (only !== null)
    return (
      <section class="card empty">
        <h2>Nothing of {site} came from this source</h2>
      </section>
    );
  return (
    <section class="card empty" aria-labelledby="empty-title">
      <h2 id="empty-title">No visits counted for {site} yet</h2>
      <p>Put this line into the head of every page, then open one of them:</p>
      <Snippet
        text={scriptTag(place?.url ?? url ?? baseUrl(location.href), place?.site ?? site)}
        label="the script tag"
      />
      <h3>Still nothing?</h3>
      <ul>
        <li>
          A site on <code>https://</code> cannot load a script from <code>http://</code>: Tallydeck
          needs an HTTPS address that your visitors can reach.{" "}
          <a href={`help?site=${encodeURIComponent(site)}#reach`}>How to get one</a>
        </li>
        <li>
          Your own view is not counted on <code>localhost</code> or <code>*.local</code> (add{" "}
          <code>data-dev="1"</code> to test there), with Do Not Track or Global Privacy Control on,
          or after you switched counting off with <code>#tallydeck-ignore</code>.
        </li>
        <li>A content blocker may stop the script: try a window without extensions.</li>
        <li>
          A Content-Security-Policy of your site must name Tallydeck's address in{" "}
          <code>script-src</code> and <code>img-src</code>.
        </li>
      </ul>
      <p class="actions">
        <a class="button primary" href={`help?site=${encodeURIComponent(site)}`}>
          Check it step by step
        </a>
        <button type="button" onClick={refresh}>
          Look again
        </button>
      </p>
    </section>
  );
}
