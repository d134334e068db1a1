import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tallydeck } from "../../helpers/command-line.ts";
import { eachFolder, filesBelow } from "../../helpers/folder.ts";
import { freePort } from "../../helpers/free-port.ts";
import { kept } from "../../helpers/kept.ts";
import { RunningService } from "../../helpers/tallydeck.ts";
import { until } from "../../helpers/until.ts";
import { ADMIN, type Ask, askPort, CHROME, encode } from "../../helpers/world.ts";

const VISITOR = "127.91.73.11";
const FORWARDED = "203.0.113.77";
const metricsPort = await freePort();

/** Texts that may be stored, and texts that may not, by name; each is unique. */
class Markers {
  readonly #marks = new Map<string, string>();
  readonly #prefix: string;

  /** @param prefix two letters that no other set has */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** A text that nothing else has: letters and digits, small, so that it goes through most shapes. */
  get(name: string): string {
    const mark =
      this.#marks.get(name) ?? `${this.#prefix}${(this.#marks.size + 1_000).toString(36)}x7kw`;
    this.#marks.set(name, mark);
    return mark;
  }

  get all(): ReadonlyMap<string, string> {
    return this.#marks;
  }
}

/** As a text stands in bytes: as it is, in UTF-16, in hex, and in base64, wherever in it that begins. */
function formsOf(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const shifted = [0, 1, 2].map((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64");
    // Characters that depend on neighbours differ.
    return whole.slice(Math.ceil((shift * 4) / 3), Math.floor(((shift + bytes.length) * 4) / 3));
  });
  const forms = [bytes.toString("hex"), ...shifted].map((form) => Buffer.from(form));
  return [bytes, Buffer.from(text.toUpperCase()), Buffer.from(text, "utf16le"), ...forms];
}

describe("what is sent through every door", () => {
  const folder = eachFolder();
  const dataDir = () => join(folder(), "data");
  const allowed = new Markers("zq");
  const secret = new Markers("qj");
  let service: RunningService;
  let webUi: number;
  /** All that the service and commands have printed. */
  let printed: string;

  async function start(): Promise<void> {
    service = await RunningService.startHere(dataDir(), {
      SITES: "blog",
      STATS_TOKEN: ADMIN,
      BADGE_SITES: "blog",
      METRICS_PORT: String(metricsPort),
      VIRTUAL_DECK: "mk2",
    });
    const [, port] = await service.says(/Web UI {5}http:\/\/\S+?:(\d+)/);
    webUi = Number(port);
  }

  async function stop(): Promise<void> {
    const { out, err } = await service.end();
    printed += out + err;
  }

  beforeEach(() => {
    mkdirSync(dataDir());
    printed = "";
    return start();
  });
  afterEach(() => service.end());

  const from = { from: VISITOR } satisfies Ask;
  const browser = () => ({
    "user-agent": `${CHROME} ${secret.get("user agent")}`,
    referer: `https://${allowed.get("referer's host")}.example/${secret.get("referer's path")}?q=${secret.get("referer's query")}`,
    cookie: `id=${secret.get("cookie")}`,
    authorization: `Bearer ${secret.get("authorization of a hit")}`,
    "accept-language": `${secret.get("accept-language")},de`,
    "x-forwarded-for": FORWARDED,
    "x-request-id": secret.get("header"),
  });
  const json = { "content-type": "application/json" };

  /** A page view with all that scripts send, and what they should not. */
  async function view(): Promise<void> {
    const payload = {
      p: `/${allowed.get("path")}?q=${secret.get("query of the page")}#${secret.get("fragment")}`,
      h: `https://${allowed.get("host")}.example`,
      r: `${allowed.get("referrer")}.example`,
      l: `de-${secret.get("region of the language")}`,
      ls: `de,${secret.get("all languages")}`,
      tz: allowed.get("time zone"),
      vw: allowed.get("viewport"),
      us: allowed.get("utm source"),
      um: allowed.get("utm medium"),
      uc: allowed.get("utm campaign"),
      o: allowed.get("source"),
      u: secret.get("visitor's flag"),
      s: secret.get("session's flag"),
      z: secret.get("nonce"),
      title: secret.get("title"),
      [secret.get("key of no meaning")]: "1",
    };
    await service.ask(`/e?s=blog&v=${encode(payload)}&x=${secret.get("query of a hit")}`, {
      ...from,
      headers: browser(),
    });
  }

  async function hits(): Promise<void> {
    const headers = browser();
    const event = { p: "/", ev: allowed.get("event"), t: allowed.get("event's target") };
    await service.ask(`/e?s=blog&v=${encode(event)}`, { ...from, headers });
    const hi = { p: "/", ev: "hi", t: secret.get("latency of no meaning") };
    await service.ask(`/e?s=blog&v=${encode(hi)}`, { ...from, headers });
    const noHost = { p: "/", referer: secret.get("referer in a payload") };
    const referer = `https://${allowed.get("host of a referer")}.example/${secret.get("path of a host")}`;
    await service.ask(`/e?s=blog&v=${encode(noHost)}`, {
      ...from,
      headers: { "user-agent": CHROME, referer },
    });
    const crawler = `${allowed.get("crawler")}bot/1.2 (+https://example.com/${secret.get("crawler's page")})`;
    await service.ask(`/e?s=blog&v=${encode({ p: `/${secret.get("crawler's path")}` })}`, {
      ...from,
      headers: { "user-agent": crawler },
    });
    const nowhere = encode({ p: `/${secret.get("path of no site")}` });
    await service.ask(`/e?s=${secret.get("no site")}&v=${nowhere}`, { ...from, headers });
    await service.ask(`/e?s=blog&v=${secret.get("payload that does not decode")}`, {
      ...from,
      headers,
    });
    const ping = {
      v: `1.2.${secret.get("app version off shape")}`,
      os: allowed.get("app's system"),
      ov: `Big ${secret.get("system version off shape")}`,
      tz: `UTC ${secret.get("offset off shape")}`,
      country: `${secret.get("country off shape")}1`,
      dv: allowed.get("device"),
      serial: secret.get("serial number"),
    };
    await service.ask(`/a?s=blog&v=${encode(ping)}`, { ...from, headers });
  }

  async function survey(): Promise<void> {
    const body = {
      sv: 1,
      v: `1.${secret.get("survey's version off shape")}`,
      os: secret.get("survey's system off shape"),
      dv: `${allowed.get("survey's device")},Bad ${secret.get("survey's device off shape")}`,
      a: {
        [allowed.get("question")]: [allowed.get("option"), `Not ${secret.get("option off shape")}`],
        [`Not ${secret.get("question off shape")}`]: "a",
      },
      c: allowed.get("comment"),
      email: secret.get("survey's field of no meaning"),
    };
    const post = { ...from, method: "POST", headers: { ...browser(), ...json } };
    await service.ask("/s?s=blog", { ...post, body: JSON.stringify(body) });
    await service.ask("/s?s=blog", { ...post, body: `{${secret.get("survey that is no JSON")}` });
  }

  /** Reads, pushes and sign-ins, with what does not open them. */
  async function others(): Promise<void> {
    const bearer = (name: string) => ({ authorization: `Bearer ${secret.get(name)}` });
    await service.ask(`/badge?site=blog&label=${secret.get("badge's label")}`, {
      ...from,
      headers: browser(),
    });
    await service.ask("/stats?site=blog", { ...from, headers: bearer("wrong token") });
    await service.ask(`/stats?site=blog&token=${secret.get("wrong token in an address")}`, from);
    await service.ask(`/${secret.get("path of no page")}?q=${secret.get("its query")}`, from);
    const control = (path: string, ask: Ask) => askPort(webUi, path, ask);
    const post = (body: object, headers: Record<string, string> = {}) => ({
      ...from,
      method: "POST",
      headers: { ...json, ...headers },
      body: JSON.stringify(body),
    });
    const text = { text: secret.get("text of a push that is refused") };
    await control("/api/push/oven", post(text, bearer("wrong push token")));
    const origin = { origin: `https://${secret.get("origin of a push")}.example` };
    await control("/api/push/oven", post(text, origin));
    await control("/api/session", post({ token: secret.get("wrong admin token") }));
    await control("/api/session", post({ code: secret.get("wrong code") }));
    await control(`/${secret.get("page of no Web UI")}`, from);
    for (const words of [
      ["stats", secret.get("no site of the command line")],
      ["sites", "add", "_"],
    ])
      await tallydeck([...words, "--data-dir", dataDir()]);
  }

  /** Every place where anything may stand, by name. */
  async function places(): Promise<Map<string, Buffer>> {
    const found = new Map<string, Buffer>();
    const filesOf = (path: string, name: string) => {
      for (const entry of readdirSync(path, { withFileTypes: true, recursive: true }))
        if (entry.isFile())
          found.set(`${name}/${entry.name}`, readFileSync(join(entry.parentPath, entry.name)));
    };
    filesOf(dataDir(), "data");
    found.set("data, unpacked", Buffer.from([...kept(dataDir()).texts].join("\n")));
    const get = async (name: string, port: number, path: string) => {
      const reply = await askPort(port, path, { headers: { authorization: `Bearer ${ADMIN}` } });
      assert.equal(reply.status, 200, `${path}: ${reply.text}`);
      found.set(name, reply.body);
    };
    await get("statistics", service.port, "/stats?site=blog&from=first&series=1&daily=1");
    await get("surveys", service.port, "/surveys?site=blog&sv=1");
    await get("export of surveys", service.port, "/surveys/export?site=blog&sv=1");
    await get("export of settings", webUi, "/api/settings/export");
    await get("diagnostics", webUi, "/api/diagnostics");
    await get("metrics", metricsPort, "/metrics");
    await get("backup", webUi, "/api/backup");
    const copy = join(folder(), "copy");
    mkdirSync(copy, { recursive: true });
    writeFileSync(join(copy, "tallydeck.db"), found.get("backup") ?? "");
    found.set("backup, unpacked", Buffer.from([...kept(copy).texts].join("\n")));
    for (const command of ["diagnose", "status", "privacy"]) {
      const { out, err } = await tallydeck([command, "--data-dir", dataDir()]);
      found.set(`tallydeck ${command}`, Buffer.from(out + err));
    }
    found.set("output", Buffer.from(printed + service.out));
    return found;
  }

  const where = (found: ReadonlyMap<string, Buffer>, text: string) => {
    const forms = formsOf(text);
    return [...found].filter(([, at]) => forms.some((form) => at.includes(form))).map(([at]) => at);
  };

  /** Holds that nothing secret is anywhere, and that all that may be kept is in some of these places. */
  async function search(...names: string[]): Promise<void> {
    const found = await places();
    for (const [name, text] of allowed.all) {
      const at = where(found, text);
      for (const place of names)
        assert.ok(
          at.some((one) => one.startsWith(place)),
          `${name}: not in ${place}, but ${at}`,
        );
    }
    const traces = [
      ...secret.all,
      ["address", VISITOR] as const,
      ["forwarded address", FORWARDED] as const,
    ].flatMap(([name, text]) => where(found, text).map((at) => `${name}: ${at}`));
    assert.deepEqual(traces, []);
  }

  it("is found where it may be kept, and nowhere else, before the log is folded and after", async () => {
    await view();
    await hits();
    await survey();
    await others();
    assert.notEqual(kept(dataDir()).inLog.length, 0);
    assert.ok(secret.all.size >= 35, String(secret.all.size));
    // Allowed places: the unpacked data has hits, the file has responses to surveys.
    await search("data", "backup");
    await stop();
    await start();
    // A start settles what is in the log.
    await until(() => kept(dataDir()).inLog.length === 0);
    await search("data", "backup");
    await stop();
    for (const [name, text] of secret.all)
      for (const file of filesBelow(dataDir()))
        assert.ok(
          !formsOf(text).some((form) => readFileSync(file).includes(form)),
          `${name}: ${file}`,
        );
    assert.ok(!formsOf(VISITOR).some((form) => Buffer.from(printed).includes(form)));
  });
});
