import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "mocha";
import { eachFolder } from "../helpers/folder.ts";
import { WebdavServer } from "../helpers/webdav-server.ts";
import { eachControl } from "./control-stage.ts";

describe("nightly backups in the Web UI", () => {
  const folder = eachFolder();
  const control = eachControl(() => ({ env: { STICK_DIR: folder() } }));
  let server: WebdavServer;
  before(async () => {
    server = await WebdavServer.start();
  });
  after(() => server.end());

  it("go to a WebDAV folder once it is named, and the card says what became of them", async () => {
    const { user, password, ca } = server;
    await control().open("?tab=box");
    const card = control().region("Nightly backups");
    await card.getByText("None is plugged in.").waitFor();
    await card.getByText("WebDAV folder", { exact: true }).click();
    await card.getByLabel("Address").fill(server.url("tally"));
    await card.getByLabel("User").fill(user);
    await card.getByLabel("Password").fill("wrong");
    await card.getByText("More settings").click();
    await card.getByLabel("Certificates to trust").fill(ca);
    await card.getByRole("button", { name: "Save" }).click();
    await card.getByText("Saved.").waitFor();
    assert.equal(await card.getByLabel("Password").inputValue(), "");
    await card
      .getByText(/^The last backup failed, .* does not take this user and password/)
      .waitFor();
    await card.getByLabel("Password").fill(password);
    await card.getByRole("button", { name: "Save" }).click();
    await card.getByText(/^The last good one is of /).waitFor();
    assert.equal(readdirSync(join(server.files, "tally")).length, 1);
    control().world.clock.advance(1_000);
    await card.getByRole("button", { name: "Back up now" }).click();
    await card.getByText("A backup is being made…").waitFor();
    await card.getByText("A backup is being made…").waitFor({ state: "detached" });
    await card.getByRole("button", { name: "Remove" }).click();
    await card.getByText(/^The last good one is of /).waitFor({ state: "detached" });
  });

  it("go to a stick as soon as it is plugged in, until that is turned off", async () => {
    await control().open("?tab=box");
    const card = control().region("Nightly backups");
    await card.getByText("None is plugged in.").waitFor();
    const say = (state: object) => {
      writeFileSync(join(folder(), "new"), JSON.stringify(state));
      renameSync(join(folder(), "new"), join(folder(), "state.json"));
      control().world.clock.advance(6_000);
    };
    const ours = join(folder(), "fat");
    say({ plug: "1", folder: ours, why: "This stick has NTFS. Format it with exFAT." });
    await card.getByText("This stick has NTFS. Format it with exFAT.").waitFor();
    mkdirSync(ours);
    say({ plug: "2", folder: ours, why: "" });
    await card.getByRole("heading", { name: "USB stick" }).waitFor();
    await card.getByText(/^The last good one is of /).waitFor();
    rmSync(join(folder(), "state.json"));
    control().world.clock.advance(6_000);
    await card.getByText("It is not plugged in.").waitFor();
    await card.getByRole("switch", { name: "To a USB stick" }).click();
    await card.getByRole("heading", { name: "USB stick" }).waitFor({ state: "detached" });
    assert.ok(existsSync(ours));
  });
});
