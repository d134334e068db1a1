import assert from "node:assert/strict";
import { ADMIN } from "../helpers/world.ts";
import { eachControl, ON_LAN, sharedControl } from "./control-stage.ts";
import { seen } from "./owner.ts";

describe("signing in with the setup code", () => {
  const control = eachControl({
    env: { ...ON_LAN, STATS_TOKEN: "", VIRTUAL_DECK: "mini" },
  });
  const code = () =>
    control()
      .world.console.map((line) => /\b\d{3} ?\d{3}\b/.exec(line)?.[0])
      .findLast((found) => found !== undefined) ?? assert.fail("no code on the console");
  const signInWith = async (typed: string) => {
    await control().field("Six digits").fill(typed);
    await control().button("Sign in").click();
  };
  const open = async () => {
    await control().owner.open("/?tab=deck");
    await control().button("Sign in").waitFor();
    control().owner.expectTroubles(/401/);
  };

  it("opens the box, which then offers an admin token", async () => {
    await open();
    await signInWith(code());
    const offer = control().page.getByRole("region", { name: "Make it yours" });
    await control().owner.assertAccessibleInAnyLight();
    await offer.getByRole("button", { name: "Make an admin token" }).click();
    const token = await seen(offer.locator(".secret code"));
    assert.equal((await control().world.readRaw("/stats", {}, token)).status, 200);
    await offer.getByRole("button", { name: "Close" }).click();
    await control().slot("k0").waitFor();
    assert.ok(!control().page.url().includes(token));
    assert.ok(!(await control().page.content()).includes(token));
  });

  it("takes six digits and nothing else, is told that they are wrong, and has to wait after too many", async () => {
    await open();
    await signInWith("12345");
    assert.equal(
      await control().page.evaluate(
        "document.querySelector('input[name=code]').validity.patternMismatch",
      ),
      true,
    );
    const wrong = code() === "000000" ? "111111" : "000000";
    for (let tries = 0; tries < 5; tries += 1) {
      const answered = control().page.waitForResponse(/api\/session/);
      await signInWith(wrong);
      assert.equal((await answered).status(), 401);
      await control().sees(/This is not the code/);
      control().owner.expectTroubles(/401/);
    }
    assert.equal(await control().page.getByRole("navigation", { name: "Sections" }).count(), 0);
    await signInWith(code());
    await control().sees(/Too many wrong codes were tried\. Wait 10 minutes\./);
    control().owner.expectTrouble(/429/);
  });
});

describe("signing in with the admin token", () => {
  const control = sharedControl({ env: { ...ON_LAN, VIRTUAL_DECK: "mini" } });
  beforeEach(() => control().page.context().clearCookies());
  const signIn = async (token: string) => {
    await control().owner.open("/?slot=k3");
    await control().pick("Admin token");
    await control().field("Admin token").last().fill(token);
    await control().button("Sign in").click();
  };

  it("opens what the address named", async () => {
    await signIn(ADMIN);
    await control().region("Key 4").waitFor();
    control().owner.expectTroubles(/401/);
    assert.equal(await control().page.getByRole("dialog").count(), 0);
    const kept = await control().page.evaluate(
      "JSON.stringify({ ...localStorage, ...sessionStorage })",
    );
    assert.ok(!String(kept).includes(ADMIN));
  });

  it("is told why a wrong one does not", async () => {
    await signIn("not-it");
    await control().sees(/This is not the admin token/);
    control().owner.expectTroubles(/401/);
  });

  it("ends in every tab when it is ended in one", async () => {
    await signIn(ADMIN);
    await control().region("Key 4").waitFor();
    const other = await control().page.context().newPage();
    await other.goto(`${control().owner.origin}/?tab=box&part=access`);
    await other.getByRole("button", { name: "Sign out" }).click();
    await other.getByRole("button", { name: "Sign in" }).waitFor();
    await control().button("Sign in").waitFor();
    control().owner.expectTroubles(/401/);
  });

  it("does not change a token the configuration declares, and says so", async () => {
    await signIn(ADMIN);
    await control().button("Machine").click();
    await control().page.getByRole("link", { name: "Access", exact: true }).click();
    await control().button("Make a new admin token…").click();
    await control().button("Make a new one").click();
    await control().sees(/STATS_TOKEN in the configuration declares this/);
    control().owner.expectTroubles(/401/);
    control().owner.expectTrouble(/409/);
  });
});

describe("making a new admin token", () => {
  const control = sharedControl({ env: { STATS_TOKEN: "" } });
  const token = () => seen(control().page.locator(".secret code"));
  const works = async (made: string) =>
    (await control().world.readRaw("/stats", {}, made)).status === 200;

  it("asks first where there is one, and not where there is none", async () => {
    await control().visit("?tab=box&part=access");
    await control().button("Make a new admin token…").click();
    const first = await token();
    await control().visit("?tab=box&part=access");
    await control().button("Make a new admin token…").click();
    await control().sees(/becomes worthless at once/);
    await control().button("Cancel").click();
    assert.ok(await works(first));
    await control().button("Make a new admin token…").click();
    await control().button("Make a new one").click();
    assert.ok(await works(await token()));
    assert.ok(!(await works(first)));
  });
});
