import assert from "node:assert/strict";
import { HOUR_MS } from "../../../appliance/base/calendar.ts";
import type { DigestAnswer } from "../../../appliance/control/wire.ts";
import { newCertificate } from "../../helpers/certificates.ts";
import { freePort } from "../../helpers/free-port.ts";
import { importInto } from "../../helpers/importing.ts";
import { assertError, Owner } from "../../helpers/owner.ts";
import { type SmtpFault, SmtpServer } from "../../helpers/smtp-server.ts";
import { eachWorld } from "../../helpers/world.ts";

const PATH = "/api/sites/blog/digest";
const MINUTE_MS = 60_000;
const DAILY = {
  enabled: true,
  every: "day",
  weekday: 1,
  hour: 8,
  webhook: null,
  form: "json",
  channel: null,
} as const;

describe("a digest by mail", () => {
  let smtp: SmtpServer;
  const world = eachWorld();
  const owner = Owner.each(world);
  beforeEach(async () => {
    smtp = await SmtpServer.start();
  });
  afterEach(() => smtp.stop());

  async function serve(more: object = {}): Promise<void> {
    const reply = await owner.ask("PUT", "/api/mail", { ...smtp.settings, ...more });
    assert.equal(reply.status, 200, reply.text);
  }
  async function set(...mail: string[]): Promise<void> {
    const reply = await owner.ask("PUT", PATH, { ...DAILY, mail });
    assert.equal(reply.status, 200, reply.text);
  }
  async function deliveries(
    wanted: (answer: NonNullable<DigestAnswer["last"]>["deliveries"]) => boolean,
  ) {
    for (;;) {
      const { last } = (await owner.get(PATH)) as DigestAnswer;
      if (last !== null && wanted(last.deliveries)) return last.deliveries;
    }
  }
  const sendNow = async (): Promise<(string | null)[]> =>
    (await owner.ask("POST", PATH)).json.sent.map(({ problem }: { problem: string }) => problem);

  it("comes to each address, as text and small HTML, and once", async () => {
    await world().beacon({ p: "/a<b>&c", u: "1" });
    await serve();
    await set("ann@example.org", "bob@example.net");
    world().clock.jump(20 * HOUR_MS);
    const [one, other] = await smtp.mails(2);
    assert.deepEqual(
      [one?.from, one?.to, other?.to],
      ["box@example.org", ["ann@example.org"], ["bob@example.net"]],
    );
    // Long lines are folded.
    const data = one?.data.replaceAll("=\r\n", "") ?? "";
    assert.match(data, /^From: Tallydeck <box@example\.org>\r$/m);
    assert.match(data, /^To: ann@example\.org\r$/m);
    assert.match(data, /^Subject: blog: 1 visitor\r$/m);
    assert.match(data, /^Date: Thu, 05 Mar 2026 08:00:00 \+0000\r$/m);
    assert.match(data, /^Message-ID: <[0-9a-f]{32}@example\.org>\r$/m);
    assert.match(data, /^Auto-Submitted: auto-generated\r$/m);
    assert.doesNotMatch(data, /bob@|https?:|<img|<script/);
    assert.match(data, /text\/plain.*\/a<b>&c {2}1.*text\/html.*\/a&lt;b&gt;&amp;c/s);
    await deliveries((all) => all.every(({ state }) => state === "sent"));
    await world().restart();
    world().clock.advance(HOUR_MS);
    await deliveries((all) => all.every(({ state }) => state === "sent"));
    assert.equal(smtp.connections, 2);
  });

  it("says what rose and fell most, and lets no name of it be more than that", async () => {
    const counts = { path: { "/old": 1_240 } };
    await importInto(world(), [{ site: "blog", day: "2026-02-25", counts, surveys: [] }]);
    const page = `/<b>&\r\nBcc: eve@example.com\r\n\r\n\u202e${"long/".repeat(60)}`;
    for (let views = 0; views < 12; views++) await world().beacon({ p: page });
    await serve();
    await set("ann@example.org");
    world().clock.jump(20 * HOUR_MS);
    const [{ data, to } = { data: "", to: [] }] = await smtp.mails(1);
    assert.deepEqual(to, ["ann@example.org"]);
    assert.doesNotMatch(data, /^Bcc/m);
    assert.doesNotMatch(data.slice(0, data.indexOf("\r\n\r\n")), /eve@/);
    const parts = data.replaceAll("=\r\n", "").split(/^Content-Type: text\//m);
    assert.match(
      parts[1] ?? "",
      /^Rose most against the Wednesday before\r\n {2}\/<b>&Bcc: eve@example\.com\?(long\/){1,6}l=E2=80=A6 {2}12 {2}\+12\r\n\r\nFell most against the Wednesday before\r\n {2}\/old {2}0 {2}=E2=88=921,240\r$/m,
    );
    assert.match(
      parts[2] ?? "",
      /Rose most against the Wednesday before<\/h2>.*word-break:break-word">\/&lt;b&gt;&amp;Bcc: [^<]{1,90}<\/td>.*>12<.*>\+12</,
    );
  });

  it("goes by TLS that begins in the middle, too, and says nothing before that", async () => {
    await smtp.stop();
    smtp = await SmtpServer.start({ security: "starttls" });
    await serve();
    await set("ann@example.org");
    assert.deepEqual(await sendNow(), [null]);
    const found = smtp.plain.map((line) => line.split(" ")[0]);
    assert.deepEqual(found, ["EHLO", "STARTTLS"]);
  });

  it("goes nowhere without TLS", async () => {
    await smtp.stop();
    smtp = await SmtpServer.start({ security: "none" });
    await serve();
    await set("ann@example.org");
    assert.deepEqual(await sendNow(), [
      "localhost offers no TLS at this port. Check the port, and how TLS begins there.",
    ]);
    assert.doesNotMatch(smtp.plain.join(" "), /AUTH|MAIL/);
  });

  const LATER: readonly [SmtpFault, RegExp][] = [
    ["refuse login", /^The mail server refuses this user and password: 535 5\.7\.8 Wrong/],
    ["greylist", /^The mail server asks to wait: 451 4\.7\.1 Greylisted/],
    ["busy", /^The mail server asks to wait: 421 Too busy/],
    ["hang up", /^localhost does not answer, or hung up\.$/],
  ];
  for (const [fault, why] of LATER)
    it(`is tried again where the server does this: ${fault}`, async () => {
      await serve();
      await set("ann@example.org");
      smtp.faults = [fault, fault];
      world().clock.jump(20 * HOUR_MS);
      const [told] = await deliveries(([each]) => each?.next != null);
      assert.match(told?.why ?? "", why);
      assert.match((await owner.get("/api/mail")).last.problem, why);
      world().clock.advance(5 * MINUTE_MS);
      await deliveries(([each]) => each?.at === world().clock.now() && each.next !== null);
      world().clock.advance(10 * MINUTE_MS);
      await deliveries(([each]) => each?.state === "sent");
      assert.deepEqual([smtp.taken.length, smtp.connections], [1, 3]);
      assert.equal((await owner.get("/api/mail")).last.problem, null);
    });

  const NEVER: readonly [SmtpFault, string, RegExp][] = [
    ["no such user", "failed", /^The mail server refuses it: 550 5\.1\.1 There is no such user/],
    ["refuse mail", "failed", /^The mail server refuses it: 554 5\.7\.1 This looks like spam/],
    ["cut data", "unsure", /^The connection with localhost ended before it said whether/],
    ["cut answer", "unsure", /^The connection with localhost ended before it said whether/],
  ];
  for (const [fault, state, why] of NEVER)
    it(`is not tried again where the server does this: ${fault}`, async () => {
      await serve();
      await set("ann@example.org", "bob@example.net");
      smtp.faults = [fault];
      world().clock.jump(20 * HOUR_MS);
      const [told, other] = await deliveries((all) => all[1]?.state === "sent");
      assert.deepEqual([told?.state, told?.next, other?.state], [state, null, "sent"]);
      assert.match(told?.why ?? "", why);
      world().clock.jump(12 * HOUR_MS);
      assert.equal(smtp.connections, 2);
      const mails = smtp.taken.filter(({ to }) => to.includes("ann@example.org"));
      assert.equal(mails.length, fault === "cut answer" ? 1 : 0);
    });

  it("goes to no server whose certificate does not fit", async () => {
    await serve({ ca: newCertificate().ca });
    await set("ann@example.org");
    const [problem] = await sendNow();
    assert.match(problem ?? "", /^The certificate of localhost is not good for it\./);
    await serve({ host: "127.0.0.1" });
    assert.match((await sendNow())[0] ?? "", /^The certificate of 127\.0\.0\.1 is not good/);
    assert.equal(smtp.taken.length, 0);
  });

  it("is tried again at once with other settings of the server", async () => {
    await serve({ password: "wrong" });
    await set("ann@example.org");
    world().clock.jump(20 * HOUR_MS);
    await deliveries(([each]) => each?.next != null);
    await owner.ask("PUT", "/api/mail", { password: "right" });
    // A person pauses before the box does.
    world().clock.advance(0);
    await deliveries(([each]) => each?.state === "sent");
  });

  it("waits for a server to be named, and says so", async () => {
    await set("ann@example.org");
    world().clock.jump(20 * HOUR_MS);
    const [told] = await deliveries(([each]) => each?.next != null);
    assert.equal(told?.why, "The machine knows no mail server yet. Name one under Machine.");
    await serve();
    await deliveries(([each]) => each?.state === "sent");
  });

  it("says where nobody listens, and gives up a server that is silent when the box stops", async () => {
    await serve({ port: await freePort() });
    await set("ann@example.org");
    assert.deepEqual(await sendNow(), ["Nobody listens at this port of localhost."]);
    await serve();
    smtp.faults = ["silent"];
    const sent = sendNow().catch(() => []);
    while (smtp.connections === 0) await owner.get("/api/mail");
    await world().stop();
    await sent;
    await world().start();
  });

  for (const address of [
    "ann",
    "ann@",
    "@example.org",
    "a b@example.org",
    "ann@example.org\r\nBcc: x@y.z",
    `${"a".repeat(65)}@example.org`,
  ])
    it(`takes no address like ${JSON.stringify(address).slice(0, 40)}`, async () => {
      assertError(
        await owner.ask("PUT", PATH, { ...DAILY, mail: [address] }),
        400,
        "invalid_field",
      );
    });

  it("takes ten addresses, and no more", async () => {
    const mail = Array.from({ length: 11 }, (_, n) => `ann${n}@example.org`);
    assertError(await owner.ask("PUT", PATH, { ...DAILY, mail }), 400, "invalid_field");
    await set(...mail.slice(1));
  });
});

describe("the mail server in the control API", () => {
  const world = eachWorld();
  const SERVER = {
    host: "mail.example.org",
    port: 465,
    security: "tls",
    user: "me",
    from: "box@example.org",
    ca: "",
  };
  const put = (change: object) =>
    new Owner(world()).ask("PUT", "/api/mail", { ...SERVER, ...change });

  it("is kept, and its password shown nowhere", async () => {
    const owner = new Owner(world());
    assert.equal((await owner.get("/api/mail")).host, "");
    const password = "a-secret-of-the-mail-server";
    assert.equal((await put({ password })).status, 200);
    await world().restart();
    const shown = await new Owner(world()).ask("GET", "/api/mail");
    assert.deepEqual(shown.json, { ...SERVER, hasPassword: true, last: null });
    for (const path of ["/api/mail", "/api/backup", "/api/diagnostics", "/api/settings/export"])
      assert.ok(!(await world().askControl(path)).text.includes(password), path);
    assert.ok(!world().said.join().includes(password));
  });

  it("forgets its password where it is another", async () => {
    await put({ password: "secret" });
    for (const change of [{ host: "mail.example.net" }, { port: 587 }])
      assert.equal(
        (await put({ password: "secret", ...SERVER }).then(() => put(change))).json.hasPassword,
        false,
      );
    await put({ password: "secret" });
    assert.equal((await put({ from: "me@example.org" })).json.hasPassword, true);
    assert.deepEqual((await put({ host: "" })).json.user, "");
  });

  for (const [field, value] of [
    ["host", "http://mail.example.org"],
    ["host", "mail.example.org:465"],
    ["port", 0],
    ["port", 70_000],
    ["security", "none"],
    ["from", "nobody"],
    ["from", ""],
    ["user", "x".repeat(257)],
    ["ca", "no certificate"],
  ] as const)
    it(`has no ${field} like ${JSON.stringify(value).slice(0, 30)}`, async () => {
      const reply = await put({ [field]: value });
      assertError(reply, 400, "invalid_field");
      assert.ok(reply.json.error.startsWith(`"${field}" `), reply.json.error);
    });

  it("has no password without a user", async () => {
    assertError(await put({ user: "", password: "x" }), 400, "invalid_field");
  });
});
