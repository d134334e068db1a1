import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { rootFolders } from "../../appliance/base/system/root-requests.ts";
import { sharedFolder } from "../helpers/folder.ts";
import { Owner as Api } from "../helpers/owner.ts";
import { WebdavServer } from "../helpers/webdav-server.ts";
import { World } from "../helpers/world.ts";
import { sharedControl } from "./control-stage.ts";

/** Ten seconds: the card asks every three by its own timer, and the sentences see it change three times. */
describe("nightly backups in the Web UI", () => {
  const folder = sharedFolder();
  const control = sharedControl(() => ({ env: { ROOT_DIR: folder() } }));
  const slot = () => rootFolders(folder()).stick;
  let server: WebdavServer;
  before(async () => {
    server = await WebdavServer.start();
  });
  after(() => server.end());

  it("go to a WebDAV folder once it is named, and the card says what became of them", async () => {
    const { user, password, ca } = server;
    await control().visit("?tab=box&part=backups");
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
    await control().page.getByRole("link", { name: "About" }).click();
    await control().page.getByRole("link", { name: "Backups , the last one failed" }).click();
    await card.getByText("WebDAV folder", { exact: true }).click();
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
    await control().visit("?tab=box&part=backups");
    const card = control().region("Nightly backups");
    await card.getByText("None is plugged in.").waitFor();
    mkdirSync(slot());
    const say = (state: object) => {
      writeFileSync(join(slot(), "new"), JSON.stringify(state));
      renameSync(join(slot(), "new"), join(slot(), "state.json"));
      control().world.clock.advance(6_000);
    };
    const ours = join(slot(), "fat");
    say({ plug: "1", folder: ours, why: "This stick has NTFS. Format it with exFAT." });
    await card.getByText("This stick has NTFS. Format it with exFAT.").waitFor();
    mkdirSync(ours);
    say({ plug: "2", folder: ours, why: "" });
    await card.getByRole("heading", { name: "USB stick" }).waitFor();
    await card.getByText(/^The last good one is of /).waitFor();
    rmSync(join(slot(), "state.json"));
    control().world.clock.advance(6_000);
    await card.getByText("It is not plugged in.").waitFor();
    await card.getByRole("switch", { name: "To a USB stick" }).click();
    await card.getByRole("heading", { name: "USB stick" }).waitFor({ state: "detached" });
    assert.ok(existsSync(ours));
  });
});

describe("a new machine with the stick of another one", () => {
  const folder = sharedFolder();
  const slot = () => rootFolders(folder()).stick;
  const ours = () => join(slot(), "fat");
  before(async () => {
    mkdirSync(slot());
    const former = new World({ env: { BACKUP_DIR: ours(), SITES: "", VIRTUAL_DECK: "mini" } });
    try {
      await former.start();
      await new Api(former).ask("POST", "/api/sites", { id: "blog" });
      while (!(existsSync(ours()) && readdirSync(ours()).some((name) => name.endsWith(".db"))))
        await setTimeout(50);
    } finally {
      await former.end();
    }
    const state = { plug: "1", folder: ours(), why: "" };
    writeFileSync(join(slot(), "state.json"), JSON.stringify(state));
  });
  const control = sharedControl(() => ({
    env: { ROOT_DIR: folder(), SITES: "", VIRTUAL_DECK: "mini" },
  }));

  it("is offered the newest first, and others to choose from", async () => {
    const stranger = "tallydeck-2026-01-01-020000Z-attic-11111111.db";
    writeFileSync(join(ours(), stranger), "no backup at all");
    await control().open("");
    const card = control().region("Or go on where another one stopped");
    const be = card.getByRole("button", { name: /^Be .+ again$/ });
    await be.waitFor();
    assert.notEqual(await be.textContent(), "Be attic again");
    await card.getByLabel("Backup", { exact: true }).selectOption(stranger);
    await card.getByRole("button", { name: "Be attic again" }).waitFor();
    rmSync(join(ours(), stranger));
  });

  it("is that one again with one press in Start", async () => {
    await control().open("");
    const card = control().region("Or go on where another one stopped");
    await card.getByRole("button", { name: /^Be .+ again$/ }).click();
    await control().region("Or go on where another one stopped").waitFor({ state: "detached" });
    await control().page.getByText("Its visits are counted as").waitFor();
    assert.equal((await control().ask("GET", "/api/sites")).json.sites[0].id, "blog");
  });
});
