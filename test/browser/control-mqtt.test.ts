import assert from "node:assert/strict";
import { FIRST_SETTINGS } from "../../appliance/links/mqtt/settings.ts";
import { Mosquitto } from "../helpers/mosquitto.ts";
import { RawBroker } from "../helpers/raw-broker.ts";
import { sharedControl } from "./control-stage.ts";

describe("the home automation of a box", () => {
  const control = sharedControl();
  let broker: Mosquitto;
  before(async () => {
    broker = await Mosquitto.open();
  });
  after(() => broker.end());
  beforeEach(() => control().ask("PUT", "/api/mqtt", FIRST_SETTINGS));

  it("begins with a broker's address, and goes off and on without asking again", async () => {
    await control().visit("?tab=box&part=connections");
    const card = control().region("Home automation");
    await card.getByLabel("Broker", { exact: true }).fill(`127.0.0.1:${broker.port}`);
    await card.getByRole("button", { name: "Connect" }).click();
    await card
      .getByText(/^Connected, just now\. Topics begin with tallydeck\/[0-9a-f]{8}\//)
      .waitFor();
    const toggle = card.getByRole("switch", { name: "Connect with the broker" });
    await toggle.click();
    await card.getByText(/^Connected/).waitFor({ state: "detached" });
    assert.equal(
      await card.getByLabel("Broker", { exact: true }).inputValue(),
      `mqtt://127.0.0.1:${broker.port}`,
    );
    await toggle.click();
    await card.getByText(/^Connected/).waitFor();
    await control().owner.assertAccessibleInAnyLight('[aria-labelledby="mqtt-title"]');
  });

  it("says what is wrong with the broker, and with what was typed", async () => {
    await control().visit("?tab=box&part=connections");
    const card = control().region("Home automation");
    await card.getByLabel("Broker", { exact: true }).fill("127.0.0.1:1");
    await card.getByRole("button", { name: "Connect" }).click();
    await card.getByText(/^Nothing answers at the broker's port/).waitFor();
    await card.getByText("More settings").click();
    await card.getByLabel("Topic prefix").fill("a/#");
    await card.getByRole("button", { name: "Save" }).click();
    await card.getByText(/^Prefix must be 1 to 64/).waitFor();
    control().owner.expectTrouble(/400/);
  });

  it("is shown as connected with a broker that does not allow everything, with what to allow, and in which version of MQTT it speaks", async () => {
    const broker = await RawBroker.open({ five: "ends", listen: { homeassistant: 0x80 } });
    await control().visit("?tab=box&part=connections");
    const card = control().region("Home automation");
    await card.getByLabel("Broker", { exact: true }).fill(`127.0.0.1:${broker.port}`);
    await card.getByRole("button", { name: "Connect" }).click();
    await card.getByText(/^Connected, /).waitFor();
    await card.getByText(/does not speak MQTT 5, so the machine speaks 3\.1\.1 with it/).waitFor();
    await card
      .getByText(/^The broker does not let the machine listen to homeassistant\/#\./)
      .waitFor();
    await control().owner.assertAccessibleInAnyLight('[aria-labelledby="mqtt-title"]');
    await broker.end();
  });
});

describe("a home automation that the configuration names", () => {
  const control = sharedControl({ env: { MQTT_URL: "127.0.0.1:1", MQTT_USER: "box" } });

  it("is shown, and is not to be changed", async () => {
    await control().visit("?tab=box&part=connections");
    const card = control().region("Home automation");
    await card.getByText(/names the broker mqtt:\/\/127\.0\.0\.1:1 and the user box/).waitFor();
    assert.equal(await card.getByRole("textbox").count(), 0);
  });
});
