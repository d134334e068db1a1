import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

const DAY_MS = 86_400_000;
export const MATOMO_TOKEN = "0123456789abcdef0123456789abcdef";

/** A Matomo's reporting API with one site: on each day 4 visitors, 12 views in 5 visits, 2 of which bounced. */
export class FakeMatomo {
  /** The methods that were asked, with their days. */
  readonly asked: string[] = [];
  /** The days that have counts, `YYYY-MM-DD`. */
  readonly #days: ReadonlySet<string>;
  readonly #reports: Readonly<Record<string, unknown>>;
  readonly #server: Server;

  private constructor(days: readonly string[], reports: Readonly<Record<string, unknown>>) {
    this.#days = new Set(days);
    this.#reports = { ...REPORTS, ...reports };
    this.#server = createServer((request, response) => {
      void this.#answer(request).then((answer) => {
        response.setHeader("Content-Type", "application/json").end(JSON.stringify(answer));
      });
    });
  }

  /** @param reports rows of a day by their method, in place of the usual ones */
  static async start(
    days: readonly string[],
    reports: Readonly<Record<string, unknown>> = {},
  ): Promise<FakeMatomo> {
    const matomo = new FakeMatomo(days, reports);
    await new Promise<void>((resolve) => matomo.#server.listen(0, "127.0.0.1", resolve));
    return matomo;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/stats/?idSite=3`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage): Promise<unknown> {
    const asked = new URLSearchParams(await text(request));
    const method = asked.get("method") ?? "";
    const error = (message: string) => ({ result: "error", message });
    if (request.url !== "/stats/index.php" || asked.get("module") !== "API")
      return { error: "no such page" };
    if (asked.get("token_auth") !== MATOMO_TOKEN)
      return error(
        "You can't access this resource as it requires 'view' access for the website id = 3.",
      );
    if (asked.get("idSite") !== "3") return error("An unexpected website was found in the request");
    if (method === "SitesManager.getSiteFromId")
      return {
        idsite: 3,
        timezone: "Europe/Zurich",
        ts_created: `${[...this.#days].sort()[0]} 08:00:00`,
      };
    this.asked.push(`${method} ${asked.get("date")}`);
    const [from = "", to = ""] = (asked.get("date") ?? "").split(",");
    const days: string[] = [];
    for (let at = Date.parse(from); at <= Date.parse(to); at += DAY_MS)
      days.push(new Date(at).toISOString().slice(0, 10));
    return Object.fromEntries(
      days.map((day) => [day, this.#days.has(day) ? (this.#reports[method] ?? []) : []]),
    );
  }
}

const each = (label: string, more: object = {}) => ({
  label,
  nb_visits: 5,
  nb_actions: 12,
  nb_uniq_visitors: 4,
  ...more,
});

/** One day's rows of each report. */
const REPORTS: Readonly<Record<string, unknown>> = {
  "VisitsSummary.get": {
    nb_uniq_visitors: 4,
    nb_visits: 5,
    nb_actions: 12,
    bounce_count: 2,
    sum_visit_length: 90,
  },
  "Actions.getPageUrls": [
    { label: "/", url: "https://example.com/", nb_visits: 5, nb_hits: 8, entry_nb_visits: "5" },
    { label: "/about", url: "https://example.com/about/", nb_visits: 3, nb_hits: 4 },
    { label: "Others", nb_visits: 1, nb_hits: 1 },
  ],
  "Referrers.getSearchEngines": [each("Google")],
  "UserCountry.getCountry": [each("Switzerland", { code: "ch" }), each("Unknown", { code: "xx" })],
  "DevicesDetection.getBrowsers": [each("Chrome Mobile")],
  "DevicesDetection.getOsFamilies": [each("GNU/Linux")],
  "DevicesDetection.getType": [each("Smartphone")],
};
