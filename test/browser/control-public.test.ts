import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rootFolders } from "../../appliance/base/system/root-requests.ts";
import { FIRST_PUBLIC_SETTINGS } from "../../appliance/links/public/settings.ts";
import { sharedFolder } from "../helpers/folder.ts";
import { FakePublicAddress, stepsTo } from "../helpers/public-address.ts";
import { sharedControl } from "./control-stage.ts";

const CARD = 'section[aria-labelledby="public-title"]';

describe("the public address in the Web UI", () => {
  const address = new FakePublicAddress();
  const control = sharedControl({ publicAddress: address });
  beforeEach(async () => {
    Object.assign(address, { isDeclared: false, port: 443, settings: FIRST_PUBLIC_SETTINGS });
    address.show({});
  });
  const card = () => control().region("Public address");
  const sees = (text: RegExp) => card().getByText(text).waitFor();

  it("begins with a name, a provider's token and what the owner agrees to", async () => {
    await control().visit("?tab=box&part=public");
    await card().getByLabel("Name", { exact: true }).fill("Tally.dedyn.io");
    await card().getByLabel("Who tells the DNS where your home is").selectOption("desec");
    await card().getByLabel("Token", { exact: true }).fill("hush-hush");
    const terms = card().getByRole("link", { name: "terms of Let’s Encrypt" });
    assert.equal(await terms.getAttribute("href"), "https://letsencrypt.org/repository/");
    await card()
      .getByRole("checkbox", { name: /public logs of certificates/ })
      .check();
    await card().getByRole("button", { name: "Turn on" }).click();
    await card().getByRole("switch", { name: "On", exact: true }).waitFor();
    const { enabled, name, ddns, ddnsToken, agreed } = address.settings;
    assert.deepEqual(
      [enabled, name, ddns, ddnsToken, agreed],
      [true, "tally.dedyn.io", "desec", "hush-hush", true],
    );
    await card().getByRole("switch", { name: "On", exact: true }).click();
    await card().getByRole("list").waitFor({ state: "detached" });
    assert.equal(address.settings.enabled, false);
  });

  it("says before it is turned on which port has to lead where, and in a checkout that there is none yet", async () => {
    await control().visit("?tab=box&part=public");
    await sees(/port 443 of your router, which has to lead to port 443 of this/);
    await sees(/The machine asks your router for that/);
    await card().getByText("More settings").click();
    await card().getByLabel("Ask the router to open port 443").uncheck();
    await sees(/Forward it by hand\. Your provider/);
    address.port = 0;
    address.show({});
    await control().visit("?tab=box&part=public");
    await sees(/Start it with --tls-port 8443 first/);
    await control().owner.assertAccessibleInAnyLight(CARD);
    await address.change({ ...address.settings, enabled: true, name: "a.example", agreed: true });
    await card()
      .getByText(/Start it with --tls-port/)
      .waitFor({ state: "detached" });
  });

  it("asks another provider's user and password, and says what is wrong with what was typed", async () => {
    await control().visit("?tab=box&part=public");
    await card().getByLabel("Name", { exact: true }).fill("tallydeck.local");
    await card().getByLabel("Who tells the DNS where your home is").selectOption("other");
    await card().getByLabel("Provider").fill("noip");
    await card().getByLabel("User").fill("me");
    await card().getByLabel("Password").fill("hush");
    await card().getByRole("button", { name: "Turn on" }).click();
    await sees(/^Name must be a name in the internet's DNS/);
    control().owner.expectTrouble(/400/);
  });

  it("shows the way from name to visitors, what is wrong on it and the next step", async () => {
    await control().visit("?tab=box&part=public");
    await address.change({ ...address.settings, enabled: true, name: "a.example", agreed: true });
    const sentence = "The router refuses to open port 443.";
    const next = "In the router, forward TCP port 443 to this machine.";
    address.show({
      headline: sentence,
      steps: stepsTo("port", { state: "wrong", sentence, next, nextTryAt: Date.now() + 600_000 }),
    });
    await card().getByText(next).waitFor();
    const headings = await card().getByRole("listitem").getByRole("heading").allTextContents();
    assert.deepEqual(headings, [
      "Name done",
      "Address done",
      "Port needs you",
      "Certificate waiting",
      "Reached waiting",
    ]);
    await sees(/^The machine tries again by itself in \d/);
    await control().owner.assertAccessibleInAnyLight(CARD);
  });

  it("is tested from the internet as often as tests are left, and from a phone", async () => {
    await control().visit("?tab=box&part=public");
    await address.change({ ...address.settings, enabled: true, name: "a.example", agreed: true });
    await card().getByRole("button", { name: "Test from the internet" }).click();
    await sees(/9 tests are left this hour/);
    await card().getByRole("button", { name: "Tell it from your phone" }).click();
    const dialog = control().page.getByRole("dialog", { name: "Tell it from your phone" });
    await dialog.getByRole("img", { name: "QR code of the address" }).waitFor();
    await dialog.getByText(/^https:\/\/a\.example\/help\/reached\//).waitFor();
    await control().owner.assertAccessibleInAnyLight("dialog");
    address.show({ reachedAt: Date.now() });
    await dialog.getByText(/^Reached: somebody came in/).waitFor();
  });

  it("puts its name into tags once it is live, and into links only with the dashboard outside", async () => {
    await address.change({ ...address.settings, enabled: true, name: "a.example", agreed: true });
    address.show({ live: true, url: "https://a.example", steps: stepsTo("end") });
    await control().visit("?tab=sites&site=blog");
    const site = control().region("blog");
    await site.getByText('src="https://a.example/s.js"').waitFor();
    await site.getByText("Share", { exact: true }).click();
    await site.getByLabel("New link for").fill("A client");
    await site.getByRole("button", { name: "Make a link" }).click();
    await site.getByText(/^http:\/\/[^ ]+\/dashboard\?site=blog#share=/).waitFor();
    await control().visit("?tab=box&part=public");
    await card().getByRole("switch", { name: "Dashboard from outside" }).click();
    await control().visit("?tab=sites&site=blog");
    await site.getByText("Share", { exact: true }).click();
    await site.getByLabel("New link for").fill("Another");
    await site.getByRole("button", { name: "Make a link" }).click();
    await site.getByText(/^https:\/\/a\.example\/dashboard\?site=blog#share=/).waitFor();
  });

  it("is shown, and is not to be changed, where the configuration names it", async () => {
    await address.change({ ...address.settings, enabled: true, name: "a.example", agreed: true });
    address.isDeclared = true;
    await control().visit("?tab=box&part=public");
    await card().getByText("The configuration names a.example").waitFor();
    assert.equal(await card().getByRole("textbox").count(), 0);
  });
});

describe("a tunnel to a server of the owner's", () => {
  const folder = sharedFolder();
  const control = sharedControl(() => ({ env: { ROOT_DIR: folder() } }));
  const root = () => rootFolders(folder()).tunnel;
  const KEY = "xTIBA5rboUvnH4htodjb6e697QjLERt1NAB4mZqp8Dg=";
  const CONF = `[Interface]\nAddress = 10.8.0.2/24\n[Peer]\nPublicKey = ${KEY}\nEndpoint = 203.0.113.5:51820\nAllowedIPs = 0.0.0.0/0`;

  it("is pasted, shown with the box's key, and taken away", async () => {
    mkdirSync(join(root(), "asked"), { recursive: true });
    await control().visit("?tab=box&part=public");
    const card = control().region("Public address");
    await card.getByText("Through a server of yours").click();
    await card.getByLabel("WireGuard configuration").fill("my diary");
    await card.getByRole("button", { name: "Connect" }).click();
    await card.getByText(/^Conf is no tunnel\./).waitFor();
    control().owner.expectTrouble(/400/);
    await card.getByLabel("WireGuard configuration").fill(CONF);
    await card.getByRole("button", { name: "Connect" }).click();
    await card.getByText("The box is at it…").waitFor();
    await control().owner.assertAccessibleInAnyLight(CARD);

    rmSync(join(root(), "asked", "wireguard.conf"));
    const state = { declared: false, endpoint: "203.0.113.5:51820", addresses: ["10.8.0.2"] };
    writeFileSync(join(root(), "state.json"), JSON.stringify({ ...state, publicKey: KEY }));
    await card.getByText(/^The server at 203\.0\.113\.5:51820 has not answered yet/).waitFor();
    await card.getByText(KEY, { exact: true }).waitFor();
    await card.getByRole("button", { name: "Take it away…" }).click();
    const question = control().page.getByRole("dialog");
    await question.getByRole("button", { name: "Take it away" }).click();
    await card.getByText("The box is at it…").waitFor();
    assert.deepEqual(readdirSync(join(root(), "asked")), ["remove"]);
  });
});
