import { dayOf, formatDay } from "../../appliance/base/calendar.ts";
import type { StatsTotals, TagPlace } from "../../appliance/traffic/collector/wire.ts";
import { ReadError, readJson, relativeUrl } from "../shared/api.ts";
import { encodePayload } from "../shared/collector.ts";
import { counted } from "../shared/format.ts";

/** The values that are typed into the page. */
export interface Setup {
  site: string;
  token: string;
  /** the address the tag was placed at, as typed: `https://example.com`, `example.com`, … */
  origin: string;
  otherSite: string;
  otherToken: string;
}

/** The outcome of a check, with advice. */
export interface Finding {
  isGood: boolean;
  text: string;
  advice?: string;
}

const good = (text: string): Finding => ({ isGood: true, text });
const bad = (text: string, advice: string): Finding => ({ isGood: false, text, advice });

const REAL_TRAFFIC_DAYS = 30;

/** Runs a check. A failed request is a finding, too. */
export async function find(check: (setup: Setup) => Promise<Finding>, setup: Setup) {
  try {
    return await check(setup);
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    if (error.kind === "unauthorized") return refused(setup.site);
    return bad("The check could not be made.", error.message);
  }
}

function refused(site: string): Finding {
  return bad(
    site === ""
      ? "401: no site follows from this address."
      : "401: this token does not open this site.",
    "Either the token is wrong, or it belongs to another site, or there is no site of this id; the machine does not tell which. Compare the id with the list in the control page or `tallydeck sites`, and make a new token with `tallydeck tokens make <site>` if in doubt.",
  );
}

/** 1: `GET /` answers `ok`. */
export async function collectorReachable(): Promise<Finding> {
  const away =
    "Check that the machine has power and network and that this device is on the same network; behind a proxy, check where it forwards to.";
  let answer: { isOk: boolean; status: number; text: string };
  try {
    const response = await fetch("./", { cache: "no-store" });
    answer = { isOk: response.ok, status: response.status, text: await response.text() };
  } catch {
    return bad("This machine does not answer.", away);
  }
  if (!answer.isOk) return bad(`Something answers here with an error (${answer.status}).`, away);
  return answer.text.trim() === "ok"
    ? good("This machine answers “ok”.")
    : bad("Something answers here, but it is not Tallydeck.", away);
}

/** 2: the token opens the site. */
export async function siteAndToken({ site, token }: Setup): Promise<Finding> {
  const { body } = await readTotals({ site }, token);
  return good(`The token opens the site ${body.site}.`);
}

/** 3: there were pageviews today or yesterday. */
export async function scriptInstalled({ site, token }: Setup): Promise<Finding> {
  const views = await recentViews(site, token);
  if (views > 0) return good(`${counted(views, "pageview")} since yesterday: the tag works.`);
  return bad(
    "No pageview since yesterday.",
    'Open a page that has the tag, wait a second and check again. Look at the page\'s source: the tag must be there with this site id. On localhost and *.local nothing is counted without data-dev="1", nor with Do Not Track, Global Privacy Control or a content blocker on. An https:// page cannot load it from an http:// address: see “A public site” below.',
  );
}

/** 4: views have come from the site of the tag. */
export async function realTraffic({ site, token, origin }: Setup): Promise<Finding> {
  const from = formatDay(dayOf(Date.now()) - REAL_TRAFFIC_DAYS);
  const { body } = await readTotals({ site, from }, token);
  const hosts = Object.entries(tableOf(body, "host")).sort((a, b) => b[1] - a[1]);
  const found = hosts.find(([host]) => isSameOrigin(host, origin));
  if (found)
    return good(`${counted(found[1], "pageview")} came from ${found[0]} in the last 30 days.`);
  if (hosts.length === 0) {
    return bad(
      "No pageview in the last 30 days.",
      "Do check 3 first: the tag has not counted yet.",
    );
  }
  const seen = hosts
    .slice(0, 5)
    .map(([host]) => host)
    .join(", ");
  return bad(
    `No pageview from ${origin}. Seen: ${seen}.`,
    "Type the address as the browser's address bar shows it: http and https, and with and without www, are different origins. If it is right, the tag on that site names another site id.",
  );
}

/** 5: the second site counts and can be read. */
export async function secondProject(setup: Setup): Promise<Finding> {
  const site = setup.otherSite;
  const token = setup.otherToken || setup.token;
  if (site.toLowerCase() === setup.site.toLowerCase())
    return bad(`${site} is the first site itself.`, "Type the id of another site.");
  try {
    const views = await recentViews(site, token);
    if (views > 0)
      return good(`${site} is readable, with ${counted(views, "pageview")} since yesterday.`);
    return bad(
      `${site} is readable but has no pageview since yesterday.`,
      `Place its own tag, with data-site="${site}", and open a page of it.`,
    );
  } catch (error) {
    if (!(error instanceof ReadError) || error.kind !== "unauthorized") throw error;
    return bad(
      `401: this token does not open ${site}.`,
      "A site token opens its own site only: type the other site's token, or the admin token.",
    );
  }
}

export const TEST_PATH = "/tallydeck-test";

/** Views come from a place within a second; this is for a slow line. */
const ARRIVES_TRIES = 20;
const ARRIVES_EVERY_MS = 500;

/** Sends one view of TEST_PATH, through the place that counts the site, and looks whether it was counted here. */
export async function testView({ site, token }: Setup, place: TagPlace | null): Promise<Finding> {
  const before = await recentViews(site, token);
  const payload = { p: TEST_PATH, h: location.origin, r: "", l: navigator.language };
  const path = relativeUrl("e", { s: place?.site ?? site, v: encodePayload(payload) });
  if (place === null) await fetch(path, { cache: "no-store" });
  else if (!(await isTaken(`${place.url}/${path}`)))
    return bad(
      `${place.name} does not answer this device at ${place.url}.`,
      "Look there whether it runs and its certificate holds: tallydeck status. Under Machine → Places the Web UI says how it answers this machine.",
    );
  for (let tries = place === null ? 1 : ARRIVES_TRIES; ; tries--) {
    if ((await recentViews(site, token)) > before)
      return good(
        `Counted: a view of ${TEST_PATH}, from this page's address${place === null ? "" : `, through ${place.name}`}.`,
      );
    if (tries <= 1) break;
    await new Promise((done) => setTimeout(done, ARRIVES_EVERY_MS));
  }
  return bad(
    place === null ? "Sent, but not counted as a view." : `Sent to ${place.name}, but not here.`,
    `A browser that says it is automated is counted as a bot. If the dashboard shows a warning about storage or the clock${place === null ? "" : ", or about places"}, the view waits for that.`,
  );
}

/** Whether an address elsewhere answers; nobody may read there what. */
async function isTaken(url: string): Promise<boolean> {
  try {
    await fetch(url, { mode: "no-cors", credentials: "omit", cache: "no-store" });
    return true;
  } catch {
    return false;
  }
}

async function recentViews(site: string, token: string): Promise<number> {
  const { body } = await readTotals({ site, from: formatDay(dayOf(Date.now()) - 1) }, token);
  return tableOf(body, "pv")._ ?? 0;
}

async function readTotals(query: { site: string; from?: string }, token: string) {
  const answer = await readJson<StatsTotals>("stats", query, token);
  // A request without an ETag must get content.
  if (answer.unchanged) throw new ReadError("refused", "The machine sent no content.");
  return answer;
}

function tableOf(totals: StatsTotals, dimension: string): Record<string, number> {
  const table = totals[dimension];
  return typeof table === "object" && !Array.isArray(table) ? table : {};
}

/** Whether a stored origin is the one typed; without a scheme either will do. */
function isSameOrigin(stored: string, typed: string): boolean {
  const wanted = typed.trim().toLowerCase().replace(/\/+$/, "");
  const origin = stored.toLowerCase();
  return wanted.includes("://")
    ? originOf(wanted) === origin
    : origin.replace(/^.*:\/\//, "") === wanted;
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}
