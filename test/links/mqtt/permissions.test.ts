import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { RawBroker } from "../../helpers/raw-broker.ts";
import { eachTroubled, isConnected } from "./troubled.ts";

describe("a broker that does not allow everything", () => {
  const trouble = eachTroubled();
  const { notAllowed, stateOf, problemOf } = trouble;

  /** A mosquitto that knows the user `box`, with these lines of rights. */
  const strictBroker = async (...rights: string[]) => {
    const at = (folder: string, name: string) => join(folder, name);
    const allow = (folder: string, lines: readonly string[]) =>
      writeFileSync(at(folder, "rights"), ["user box", ...lines, ""].join("\n"));
    const broker = await trouble.brokerOf({
      prepare: (folder) => {
        allow(folder, rights);
        writeFileSync(at(folder, "passwords"), "box:secret\n");
        execFileSync("mosquitto_passwd", ["-U", at(folder, "passwords")]);
      },
      config: (folder) => [
        `password_file ${at(folder, "passwords")}`,
        `acl_file ${at(folder, "rights")}`,
      ],
    });
    return { broker, allow: (...lines: string[]) => allow(broker.folder, lines) };
  };
  const boxAt = ({ port }: { port: number }, env: Record<string, string> = {}) =>
    trouble.boxWith({
      MQTT_URL: `127.0.0.1:${port}`,
      MQTT_USER: "box",
      MQTT_PASSWORD: "secret",
      ...env,
    });
  const ALLOW = /Allow the user "box" to read and write homeassistant\/# at the broker\.$/;

  for (const MQTT_VERSION of ["5", "3.1.1"])
    it(`is shown with what to allow, until it does: ${MQTT_VERSION}`, async () => {
      const { broker, allow } = await strictBroker("topic readwrite tallydeck/#");
      const owner = await boxAt(broker, { MQTT_VERSION });
      const [problem] = await notAllowed(owner, 1);
      assert.match(String(problem), ALLOW);
      // The log goes into diagnostics.
      assert.ok(owner.world.said.some((line) => line.startsWith("warn: MQTT") && ALLOW.test(line)));
      allow("topic readwrite tallydeck/#", "topic readwrite homeassistant/#");
      await broker.stop();
      await broker.start();
      await stateOf(owner, (state) => !state.connected);
      await notAllowed(owner, 0);
    });

  it("is shown where it lets the box write, and nothing comes back", async () => {
    const { broker } = await strictBroker("topic write #");
    const problems = await notAllowed(await boxAt(broker), 2);
    assert.match(
      problems.join("\n"),
      /^What the machine writes to tallydeck\/[0-9a-f]{8}\/# does not/,
    );
    assert.match(
      problems.join("\n"),
      /\/# does not come back from the broker\. Allow the user "box"/,
    );
  });

  it("is shown with the trees that it has to open where it refuses the box's topics", async () => {
    const { broker } = await strictBroker("topic readwrite homeassistant/#");
    const owner = await boxAt(broker);
    const state = await stateOf(owner, (each) =>
      each.connected ? each.problems.length > 0 : each.problem !== null,
    );
    const said = state.connected ? state.problems.join() : state.problem;
    assert.match(String(said), /llow .*read and write tallydeck\/[0-9a-f]{8}\/#/);
  });

  it("is believed when it refuses a listener or a message by a reason code", async () => {
    const listening = trouble.ending(await RawBroker.open({ listen: { tallydeck: 0x87 } }));
    assert.match(
      String((await notAllowed(await boxAt(listening), 1))[0]),
      /does not let the machine listen to tallydeck\/\w+\/#\. Allow the user "box"/,
    );
    const writing = trouble.ending(await RawBroker.open({ write: { homeassistant: 0x87 } }));
    assert.match(
      String((await notAllowed(await boxAt(writing), 1))[0]),
      /refuses what the machine writes to homeassistant\/#\. Allow the user "box"/,
    );
  });

  for (const endsOver of ["homeassistant/device", "homeassistant/status"])
    it(`is shown with what to allow where it only ends the connection: ${endsOver}`, async () => {
      const rabbit = trouble.ending(await RawBroker.open({ five: "ends", endsOver: [endsOver] }));
      const owner = await boxAt(rabbit);
      assert.match(
        await problemOf(owner),
        /allow the user "box" to read and write tallydeck\/\w+\/# and homeassistant\/#/,
      );
    });

  it("has nothing held against it while it allows everything", async () => {
    const friendly = trouble.ending(await RawBroker.open());
    const owner = await boxAt(friendly);
    await stateOf(owner, isConnected);
    owner.world.clock.advance(60_000);
    const { state } = await owner.get("/api/mqtt");
    assert.deepEqual([state.connected, state.version, state.problems], [true, "5", []]);
  });

  for (const five of ["ends", "refuses"] as const)
    it(`is spoken to in 3.1.1 where it ${five} MQTT 5, and that is said`, async () => {
      const broker = trouble.ending(await RawBroker.open({ five }));
      const owner = await boxAt(broker);
      const state = await stateOf(owner, isConnected);
      assert.equal(state.connected && state.version, "3.1.1");
      const versions = broker.guests.map(({ version }) => version);
      assert.deepEqual(versions, [5, 4]);
      assert.equal((await owner.get("/api/mqtt")).version, "5");
      assert.match(
        owner.world.said.join("\n"),
        /does not speak MQTT 5, so the machine speaks 3\.1\.1/,
      );
    });

  it("is tried with MQTT 5 again by the next connection", async () => {
    const broker = trouble.ending(await RawBroker.open({ five: "ends" }));
    const owner = await boxAt(broker);
    await stateOf(owner, isConnected);
    broker.guests.at(-1)?.cut();
    await stateOf(owner, (state) => !state.connected);
    await stateOf(owner, isConnected);
    const versions = broker.guests.map(({ version }) => version);
    assert.deepEqual(versions, [5, 4, 5, 4]);
  });
});
