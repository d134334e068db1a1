import assert from "node:assert/strict";
import { SmtpServer } from "../helpers/smtp-server.ts";
import { eachControl } from "./control-stage.ts";

describe("mail in the Web UI", () => {
  const control = eachControl();
  let smtp: SmtpServer;
  beforeEach(async () => {
    smtp = await SmtpServer.start({ security: "starttls" });
  });
  afterEach(() => smtp.stop());

  it("is set once under Box, and sends a site's digest from then on", async () => {
    const { user, password, from, ca, port } = smtp.settings;
    await control().open("?tab=box&part=connections");
    const mail = control().region("Mail");
    await mail.getByLabel("Server").fill("localhost");
    await mail.getByLabel("User").fill(user);
    await mail.getByLabel("Password").fill(password);
    await mail.getByLabel("Sender").fill(from);
    await mail.getByText("More settings").click();
    await mail.getByRole("radio", { name: "STARTTLS" }).check();
    assert.equal(await mail.getByLabel("Port").inputValue(), "587");
    await mail.getByLabel("Port").fill(String(port));
    await mail.getByLabel("Certificates to trust").fill(ca);
    await mail.getByRole("button", { name: "Save" }).click();
    await mail.getByText("Saved.").waitFor();
    assert.equal(await mail.getByLabel("Password").inputValue(), "");

    await control().open("?tab=sites&site=blog");
    const card = control().region("blog");
    await card.getByText("Digest", { exact: true }).click();
    await card.getByLabel("Mail to").fill("ann@example.org; bob@example.net");
    await card.getByRole("button", { name: "Save" }).click();
    await card.getByText(/^The next goes out on /).waitFor();
    smtp.faults = ["refuse login"];
    await card.getByRole("button", { name: "Send one now" }).click();
    await card.getByText(/^ann@example\.org: The mail server refuses this user and/).waitFor();
    await card.getByText("bob@example.net: sent now.").waitFor();
    assert.deepEqual((await smtp.mails(1))[0]?.to, ["bob@example.net"]);

    await control().open("?tab=box&part=connections");
    await mail.getByText(/^The last mail was sent just now/).waitFor();
    await mail.getByRole("button", { name: "Remove" }).click();
    await mail.getByRole("button", { name: "Remove" }).waitFor({ state: "detached" });
    assert.equal((await control().ask("GET", "/api/mail")).json.hasPassword, false);
  });
});
