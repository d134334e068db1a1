import assert from "node:assert/strict";
import type { BrowserContext, Page } from "playwright-core";
import { COUNTRIES } from "../../appliance/box/provision/settings.ts";
import { Portal } from "../../appliance/box/wifi/portal/portal.ts";
import type { JoinRequest } from "../../appliance/box/wifi/radio.ts";
import { openProfile } from "../helpers/chromium.ts";

const seen = (name: string, signal: number, isOpen = false) => ({
  ssid: Buffer.from(name).toString("hex"),
  isOpen,
  signal,
});
const NETWORKS = [
  seen("Haus am See 🏠", -45),
  seen('"><script>alert(1)</script>', -66),
  seen("W".repeat(32), -70, true),
  seen("UPC8819237", -82),
];

/** The page as the sheet of a phone shows it: no script runs, and nothing but the portal answers. */
async function sheet(width: number, colorScheme: "light" | "dark", trouble?: string) {
  const joined: JoinRequest[] = [];
  const portal = new Portal({
    content: {
      token: "t0ken",
      networks: NETWORKS,
      countries: [...COUNTRIES],
      country: "",
      trouble: trouble ?? "",
      given: null,
    },
    join: (wish) => void joined.push(wish),
    lookAgain: () => {},
  });
  const profile: BrowserContext = await openProfile({
    viewport: { width, height: 640 },
    colorScheme,
    javaScriptEnabled: false,
    locale: "de-CH",
  });
  await profile.route("**", (route) => {
    const request = route.request();
    const { host, pathname } = new URL(request.url());
    const { status, headers, body } = portal.answer({
      method: request.method(),
      host,
      path: pathname,
      languages: request.headers()["accept-language"] ?? "",
      from: "192.0.2.7",
      body: request.postData() ?? "",
    });
    return route.fulfill({ status, headers: { ...headers }, body });
  });
  const page = await profile.newPage();
  await page.goto("http://192.0.2.1/");
  return { page, joined, close: () => profile.close() };
}

async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.PICTURES;
  if (folder) await page.screenshot({ path: `${folder}/portal-${name}.png`, fullPage: true });
}

describe("the page of the Wi-Fi set-up", () => {
  it("fits sheets of 320 and 360 pixels, light and dark, with targets of 44 pixels", async () => {
    const { page, close } = await sheet(320, "light", "The password was not accepted by Home.");
    await page.getByLabel("Another one").check();
    for (const width of [320, 360])
      for (const colorScheme of ["light", "dark"] as const) {
        await page.setViewportSize({ width, height: 640 });
        await page.emulateMedia({ colorScheme });
        await picture(page, `${width}-${colorScheme}`);
        assert.equal((await page.locator("html").boundingBox())?.width, width);
        const boxes = page.locator("select, .row, .secret label[for=show], #password, button");
        for (const target of await boxes.all()) {
          const box = await target.boundingBox();
          assert.ok(box && box.height >= 44 && box.x >= 0 && box.x + box.width <= width);
        }
      }
    await close();
  });

  it("hides the password until it is to be shown, without a script", async () => {
    const { page, close } = await sheet(360, "light");
    const password = page.getByLabel("Password");
    await password.fill("right password");
    const hidden = await password.screenshot();
    await page.getByLabel("Show", { exact: true }).check();
    assert.notDeepEqual(await password.screenshot(), hidden);
    await picture(page, "shown");
    await close();
  });

  it("is filled in with the country of the phone, and sent", async () => {
    const { page, joined, close } = await sheet(360, "light");
    assert.equal(await page.getByLabel("Country").inputValue(), "CH");
    await page.getByLabel("Haus am See").check();
    await page.getByLabel("Password").fill("right password");
    await page.getByRole("button", { name: "Join" }).click();
    await page.getByRole("heading", { name: "This network ends now." }).waitFor();
    await picture(page, "last");
    assert.equal(joined[0]?.ssid, Buffer.from("Haus am See 🏠").toString("hex"));
    await close();
  });
});
