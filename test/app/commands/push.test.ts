import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { tallydeck } from "../../helpers/command-line.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { Owner } from "../../helpers/owner.ts";
import { eachWorld } from "../../helpers/world.ts";

describe("tallydeck push", () => {
  const world = eachWorld({ env: { VIRTUAL_DECK: "mk2" } });
  const folder = eachFolder();
  let env: Record<string, string>;
  const owner = Owner.each(world);
  beforeEach(async () => {
    env = {
      TALLYDECK_URL: `http://127.0.0.1:${world().service.control.port}`,
      TALLYDECK_PUSH_TOKEN: (await owner.makePushToken()).token,
    };
  });
  const held = async () => (await owner.get("/api/push-channels")).channels;

  /** Has a key of a deck show a channel. */
  async function bind(channel: string): Promise<void> {
    const [{ id }] = (await owner.get("/api/decks")).decks;
    const widget = { type: "push", channel };
    assert.equal((await owner.ask("PUT", `/api/decks/${id}/slots/k0`, { widget })).status, 200);
  }

  it("shows a text on a channel, and says nothing", async () => {
    await bind("door");
    const ended = await tallydeck(
      [
        "push",
        "door",
        "Open\\nsince 9",
        "--ttl",
        "60",
        "--color",
        "#ff0000",
        "--background",
        "#00ff00",
      ],
      env,
    );
    assert.deepEqual(ended, { code: 0, out: "", err: "" });
    const [{ channel, text, color, background, expiresAt }] = await held();
    assert.deepEqual(
      { channel, text, color, background, expiresAt },
      {
        channel: "door",
        text: "Open\nsince 9",
        color: "#ff0000",
        background: "#00ff00",
        expiresAt: world().clock.now() + 60_000,
      },
    );
  });

  it("makes a dead-man's channel, and a message that waits to be seen", async () => {
    const watched = ["push", "backup", "done", "--period", "3600", "--grace", "600"];
    assert.equal((await tallydeck([...watched, "--status", "warn"], env)).code, 0);
    assert.equal((await tallydeck(["push", "door", "Bell", "--hold", "--id", "7"], env)).code, 0);
    const [backup, door] = await held();
    assert.deepEqual(
      [backup.state, backup.period, backup.grace, backup.status],
      ["up", 3_600, 600, "warn"],
    );
    assert.deepEqual([door.state, door.id], ["firing", "7"]);
    const refused = await tallydeck(["push", "backup", "x", "--period", "1h"], env);
    assert.deepEqual([refused.code, /--period/.test(refused.err)], [2, true]);
    assert.equal((await tallydeck(["push", "door", "x", "--status", "bad"], env)).code, 2);
  });

  it("shows a text that looks like an option", async () => {
    assert.equal((await tallydeck(["push", "door", "--", "--help"], env)).out, "");
    assert.equal((await held())[0].text, "--help");
  });

  it("says where no key shows the channel, and that is no failure", async () => {
    const { code, out, err } = await tallydeck(["push", "Door", "Open"], env);
    assert.deepEqual([code, out], [0, ""]);
    const sentence = "No key of a connected deck shows door. Set one to it";
    assert.equal(err, `${sentence}: ${env.TALLYDECK_URL}/\n`);
    assert.equal((await held())[0].text, "Open");
    assert.equal((await tallydeck(["push", "door", "--clear"], env)).err, "");
  });

  it("says nothing of what it shows otherwise with --quiet, as cron wants it", async () => {
    const { code, out, err } = await tallydeck(["push", "door", "🎉", "--quiet"], env);
    assert.deepEqual([code, out, err], [0, "", ""]);
    assert.equal((await held())[0].text, "?");
    const refused = await tallydeck(["push", "not a channel", "a", "--quiet"], env);
    assert.deepEqual([refused.code, refused.err === ""], [2, false]);
  });

  it("shows a number below zero without further ado", async () => {
    await bind("temp");
    assert.equal((await tallydeck(["push", "temp", "-5°", "--ttl", "60"], env)).err, "");
    assert.equal((await held())[0].text, "-5°");
  });

  for (const args of [
    ["push", "build"],
    ["push", "build", "-"],
  ])
    it(`shows with \`${args.join(" ")}\` what is piped in`, async () => {
      await bind("build");
      assert.deepEqual(await tallydeck(args, env, "C:\\new\nok\n"), { code: 0, out: "", err: "" });
      assert.equal((await held())[0].text, "C:\\new\nok");
    });

  for (const piped of ["", "\n", " ", "\t \r\n \n", "\ufeff", "\ufeff\u00a0\u200b\u0000\n"])
    it(`blanks no key with ${JSON.stringify(piped)} from a pipe`, async () => {
      assert.equal((await tallydeck(["push", "clock", "12:00"], env)).code, 0);
      const { code, err } = await tallydeck(["push", "clock"], env, piped);
      assert.equal(code, 2);
      assert.match(
        err,
        /^Nothing that a key can show came from the pipe\. .* push CHANNEL --clear` goes back/,
      );
      assert.equal((await held())[0].text, "12:00");
      assert.equal((await tallydeck(["push", "clock", ""], env, piped)).code, 0);
      assert.equal((await held())[0].text, "");
    });

  it("refuses a flood from a pipe", async () => {
    const ended = await tallydeck(["push", "build"], env, "x".repeat(1_000_000));
    assert.equal(ended.code, 1);
    assert.match(ended.err, /larger than 4096 bytes/);
  });

  it("clears a channel", async () => {
    await tallydeck(["push", "door", "Open", "--ttl", "0"], env);
    assert.equal((await tallydeck(["push", "door", "--clear"], env)).code, 0);
    assert.deepEqual(await held(), []);
  });

  it("takes address and token as options, which win", async () => {
    const { TALLYDECK_URL = "", TALLYDECK_PUSH_TOKEN = "" } = env;
    const args = [
      "push",
      "door",
      "x",
      "--url",
      `${TALLYDECK_URL}/`,
      "--token",
      TALLYDECK_PUSH_TOKEN,
    ];
    const wrong = { TALLYDECK_URL: "http://127.0.0.1:1", TALLYDECK_PUSH_TOKEN: "wrong" };
    assert.equal((await tallydeck(args, wrong)).code, 0);
  });

  it("warns about characters that the deck cannot draw, and about text that was cut", async () => {
    const ended = await tallydeck(["push", "door", `🎉🎉${"x".repeat(300)}`], env);
    assert.equal(ended.code, 0);
    assert.match(ended.err, /2 characters are shown as \?/);
    assert.match(ended.err, /cut after 256 characters/);
  });

  it("opens no database and no folder", async () => {
    await tallydeck(["push", "door", "x"], { ...env, DATA_DIR: folder() });
    assert.deepEqual(readdirSync(folder()), []);
  });

  for (const [what, args, change, message] of [
    [
      "a wrong token",
      ["push", "door", "x"],
      { TALLYDECK_PUSH_TOKEN: "wrong" },
      /^http\S+ does not know this push token\. .* --token /,
    ],
  ] as const)
    it(`fails with ${what} and says so`, async () => {
      const ended = await tallydeck(args, { ...env, ...change });
      assert.equal(ended.code, 1);
      assert.match(ended.err, message);
    });

  it("says of a name that no channel has what a name is, and asks nobody", async () => {
    await world().stop();
    const ended = await tallydeck(["push", "..", "x"], env);
    assert.equal(ended.code, 2);
    assert.match(ended.err, /^A channel name has 1 to 32 characters/);
  });

  it("fails when nobody answers and says so", async () => {
    await world().stop();
    const ended = await tallydeck(["push", "door", "x"], env);
    assert.equal(ended.code, 1);
    assert.match(ended.err, /does not answer \(ECONNREFUSED\)/);
  });

  for (const args of [
    ["push"],
    ["push", "door"],
    ["push", "door", "x", "y"],
    ["push", "door", "x", "--clear"],
    ["push", "door", "x", "--ttl", "soon"],
    ["push", "door", "x", "--ttl", "86401"],
    ["push", "door", "x", "--color", "red"],
    ["push", "a b", "x"],
    ["push", "", "x"],
    ["push", ".", "x"],
    ["push", "..", "x"],
    ["push", "door", "x", "--size", "9"],
    ["push", "door", "x", "--url", "nonsense"],
    ["push", "door", "x", "--token", ""],
  ])
    it(`does not understand \`${args.join(" ")}\``, async () => {
      const ended = await tallydeck(args, env);
      assert.equal(ended.code, 2);
      assert.match(ended.err, /tallydeck push --help/);
      assert.deepEqual(await held(), []);
    });
});
