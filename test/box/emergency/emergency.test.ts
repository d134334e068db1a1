import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FormRequest } from "../../../appliance/base/http/form-server.ts";
import { createLog } from "../../../appliance/base/log.ts";
import { RootRequests } from "../../../appliance/base/system/root-requests.ts";
import { Emergency } from "../../../appliance/box/emergency/emergency.ts";
import { BOX_FILES, endOfLog, readKnown } from "../../../appliance/box/emergency/known.ts";
import { Reset } from "../../../appliance/box/reset.ts";
import { SetupCode } from "../../../appliance/box/setup-code.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { until } from "../../helpers/until.ts";

const STATE = {
  running: { release: 12, version: "0.3.0", slot: "b" },
  other: { release: 11, version: "0.2.0" },
  mode: "normal",
  offers: [],
  failed: [],
};

describe("a box whose service cannot start", () => {
  const folder = eachFolder();
  let clock = new FakeClock();
  let ended = 0;
  let code: SetupCode;
  let emergency: Emergency;

  const put = (file: string, text: string) => {
    mkdirSync(join(folder(), file, ".."), { recursive: true });
    writeFileSync(join(folder(), file), text);
  };
  const askedOf = (file: string) => readdirSync(join(folder(), file, "asked"));

  beforeEach(() => {
    [clock, ended] = [new FakeClock(), 0];
    for (const each of [BOX_FILES.reset, BOX_FILES.updater])
      mkdirSync(join(folder(), each, "asked"), { recursive: true });
    put(BOX_FILES.release, "RELEASE=12\nVERSION=0.3.0\n");
    put(`${BOX_FILES.updater}/state.json`, JSON.stringify(STATE));
    put(BOX_FILES.failures, "exit-code 1\n".repeat(5));
    let drawn = 0;
    code = new SetupCode({
      clock,
      needed: () => true,
      randomInt: () => 100_000 + drawn++,
      renews: true,
    });
    emergency = new Emergency({
      clock,
      code,
      reset: new Reset({
        clock,
        log: createLog(() => {}),
        folder: join(folder(), BOX_FILES.reset),
      }),
      network: { addresses: () => ["192.0.2.7"], name: () => "counter.local" },
      hostname: "localhost",
      token: "token-of-this-start",
      known: () => readKnown(folder()),
      log: () => endOfLog(folder()),
      askForOther: () => new RootRequests(join(folder(), BOX_FILES.updater)).ask("rollback"),
      end: () => {
        ended += 1;
      },
    });
  });

  const REQUEST: FormRequest = {
    method: "GET",
    host: "counter.local:3000",
    path: "/",
    accept: "text/html,*/*",
    languages: "",
    origin: "",
    from: "192.0.2.40",
    body: "",
  };
  const look = () => emergency.answerOwner(REQUEST);
  const send = (fields: Record<string, string>, more: Partial<FormRequest> = {}) =>
    emergency.answerOwner({
      ...REQUEST,
      method: "POST",
      origin: "http://counter.local:3000",
      body: new URLSearchParams({ code: code.shown ?? "", ...fields }).toString(),
      ...more,
    });

  it("says at the Web UI's port what is known and what can be done", () => {
    const { status, body, headers } = look();
    assert.equal(status, 503);
    for (const words of [
      "The service stops by itself. It failed 5 times in a row, the last time with “exit-code 1”.",
      "Release 0.3.0 (12), system B of the card.",
      "Go to the other system, 0.2.0",
      "<bdi>counter</bdi>",
    ])
      assert.ok(body.includes(words), words);
    assert.ok(body.length < 20_000);
    assert.doesNotMatch(body, /<script|https?:\/\/|100000/);
    assert.match(headers["Content-Security-Policy"] ?? "", /default-src 'none'/);
  });

  it("tells visitors and programs nothing of it", () => {
    const visitor = emergency.answerVisitor(REQUEST);
    assert.equal(visitor.status, 503);
    assert.doesNotMatch(visitor.body, /0\.3\.0|exit-code|counter|<form/);
    for (const answer of [
      emergency.answerVisitor({ ...REQUEST, path: "/a", accept: "*/*" }),
      emergency.answerVisitor({ ...REQUEST, method: "POST" }),
      emergency.answerOwner({ ...REQUEST, path: "/api/health" }),
      emergency.answerOwner({ ...REQUEST, method: "PUT", path: "/api/push/lamp" }),
    ]) {
      assert.deepEqual([answer.status, JSON.parse(answer.body).code], [503, "cannot_start"]);
      assert.equal(answer.headers["Retry-After"], "60");
    }
  });

  it("shows on the screen what is wrong, where to go, and the code", () => {
    assert.deepEqual(emergency.screenText().split("\n"), [
      "Tallydeck cannot start.",
      "The service stops by itself. It failed 5 times in a row, the last time with “exit-code 1”.",
      "It is tried again by itself every ten minutes.",
      "",
      "The ways out are at http://192.0.2.7:3000/",
      "and at http://counter.local:3000/",
      "Setup code 100000",
    ]);
  });

  it("tries the service again when it is told to, and by itself after ten minutes", () => {
    assert.equal(send({ do: "try" }).status, 200);
    assert.equal(ended, 0);
    clock.advance(1_000);
    assert.equal(ended, 1);
    clock.advance(10 * 60_000);
    assert.equal(ended, 2);
  });

  it("asks for the other system, and says why it did not start", async () => {
    const { body, headers } = send({ do: "other" });
    assert.match(body, /The box restarts into it/);
    assert.match(headers.Refresh ?? "", /^15/);
    await until(() => askedOf(BOX_FILES.updater).includes("rollback"));
    const problem = "0.2.0 is not whole in a/ on the card: install it again.";
    put(`${BOX_FILES.updater}/state.json`, JSON.stringify({ ...STATE, problem }));
    assert.ok(look().body.includes(problem));
  });

  it("offers no other system where there is none, or the updater is at work", () => {
    const { other: _, ...alone } = STATE;
    for (const state of [
      alone,
      { ...STATE, mode: "trial" },
      { ...STATE, work: { step: "arm", to: STATE.other, done: 0, of: 0 } },
      { ...STATE, other: "0.2.0" },
      "nothing",
      null,
    ]) {
      put(`${BOX_FILES.updater}/state.json`, JSON.stringify(state));
      assert.doesNotMatch(look().body, /Go to the other system/);
      assert.equal(send({ do: "other" }).status, 409);
    }
    assert.deepEqual(askedOf(BOX_FILES.updater), []);
  });

  it("erases all data after ten seconds, once its name is typed", async () => {
    assert.equal(send({ do: "erase", name: "Counter" }).status, 409);
    assert.equal(send({ do: "erase", name: "counter" }).status, 303);
    assert.match(look().body, /erases all its data in 10 seconds/);
    assert.match(emergency.screenText(), /erases all its data in 10 seconds/);
    for (let second = 0; second < 10; second += 1) clock.advance(1_000);
    await until(() => askedOf(BOX_FILES.reset).includes("begin"));
    assert.match(look().body, /restarts and erases all its data/);
    assert.equal(send({ do: "try" }).status, 409);
  });

  it("calls that off for the form of its own page, and for no other", async () => {
    send({ do: "erase", name: "counter" });
    clock.advance(3_000);
    assert.equal(send({ do: "stop", token: "guessed" }).status, 400);
    assert.match(look().body, /in 7 seconds/);
    assert.equal(send({ do: "stop", token: "token-of-this-start" }).status, 303);
    clock.advance(60_000);
    await until(() => askedOf(BOX_FILES.reset).includes("call-off"));
    assert.deepEqual(askedOf(BOX_FILES.reset), ["call-off"]);
    assert.match(look().body, /cannot start/);
  });

  it("does nothing for a wrong code, and looks at no more than five", () => {
    for (let tries = 0; tries < 5; tries += 1)
      assert.equal(send({ do: "try", code: "999999" }).status, 401);
    assert.equal(send({ do: "try" }).status, 429);
    assert.equal(send({ do: "try" }, { from: "192.0.2.41" }).status, 200);
    clock.advance(1_000);
    assert.equal(ended, 1);
  });

  it("lets its owner in by another code once strangers have used up all tries", () => {
    const guess = () => {
      for (let guest = 1; guest <= 9; guest += 1)
        for (let tries = 0; tries < 5; tries += 1)
          send({ do: "log", code: "999999" }, { from: `192.0.2.${100 + guest}` });
    };
    const before = code.shown;
    guess();
    assert.equal(send({ do: "log" }).status, 429);
    clock.advance(10 * 60_000 - 1);
    assert.equal(code.shown, before);
    clock.advance(1);
    assert.notEqual(code.shown, before);
    assert.match(emergency.screenText(), new RegExp(`Setup code ${code.shown}$`));
    assert.equal(send({ do: "log", code: before ?? "" }).status, 401);
    assert.equal(send({ do: "log" }).status, 200);
    guess();
    clock.advance(10 * 60_000);
    assert.equal(send({ do: "log" }).status, 200);
  });

  it("answers by its own names and by addresses, and by no name of elsewhere", () => {
    const at = (host: string) => emergency.answerOwner({ ...REQUEST, host }).status;
    for (const host of ["192.0.2.7:3000", "[fd00::7]:3000", "COUNTER.local", "localhost:3000"])
      assert.equal(at(host), 503, host);
    for (const host of ["evil.example:3000", "counter.local.evil.example", "", "a@192.0.2.7", "/"])
      assert.equal(at(host), 403, host);
    const rebound = { host: "evil.example:3000", origin: "http://evil.example:3000" };
    const refused = send({ do: "erase", name: "counter" }, rebound);
    assert.equal(refused.status, 403);
    assert.match(refused.body, /does not go by that name/);
    assert.deepEqual(askedOf(BOX_FILES.reset), []);
  });

  it("takes a code once, and none from a page of elsewhere", () => {
    const first = code.shown ?? "";
    assert.equal(send({ do: "log" }, { origin: "http://evil.example" }).status, 403);
    assert.equal(send({ do: "log" }).status, 200);
    assert.equal(send({ do: "log", code: first }).status, 401);
    assert.equal(send({ do: "format" }).status, 400);
  });

  it("shows the end of the log as root keeps it, of our programs only", () => {
    put(
      BOX_FILES.log,
      [
        "2026-11-27T19:41:12+0000 kernel: usb 1-1: new device",
        ...Array.from(
          { length: 40 },
          (_, n) => `2026-11-27T19:41:13+0000 tallydeck-node[400]: line ${n} <b>`,
        ),
        `2026-11-27T19:41:14+0000 tallydeck-node[400]: ${"x".repeat(100_000)}`,
        "2026-11-27T19:41:14+0000 systemd[1]: tallydeck.service: Main process exited, code=exited, status=1/FAILURE",
        "2026-11-27T19:41:15+0000 systemd[1]: Started session of somebody.",
      ].join("\n"),
    );
    assert.doesNotMatch(look().body, /line 39/);
    const { body } = send({ do: "log" });
    assert.match(body, /line 39 &lt;b&gt;/);
    assert.match(body, /status=1\/FAILURE/);
    assert.doesNotMatch(body, /new device|somebody|line 10 /);
    assert.ok(body.length < 20_000);
  });

  it("says so where no log was kept, and nothing is known", () => {
    for (const file of [BOX_FILES.release, BOX_FILES.failures, `${BOX_FILES.updater}/state.json`])
      put(file, "\0<script>alert(1)</script>");
    assert.match(look().body, /The service stops by itself\./);
    assert.doesNotMatch(look().body, /<script/);
    assert.match(send({ do: "log" }).body, /No log was kept/);
  });

  it("says what systemd says of the end", () => {
    for (const [line, words] of [
      ["exit-code 2", "refuses its settings"],
      ["watchdog ABRT", "hung"],
      ["timeout TERM", "does not come up"],
      ["oom-kill KILL", "too much memory"],
      ["signal SEGV", "It failed once, the last time with “signal SEGV”"],
    ] as const) {
      put(BOX_FILES.failures, `${line}\n`);
      assert.ok(readKnown(folder()).why.includes(words), line);
    }
  });
});
