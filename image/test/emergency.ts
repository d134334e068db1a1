import assert from "node:assert/strict";
import { mk2 } from "../../test/helpers/fake-hid-elgato.ts";
import { codeOn } from "../../test/helpers/shown-code.ts";
import { UsbDeck } from "../../test/virtual-deck/usb-deck.ts";
import type { Box } from "./box.ts";
import type { Checks } from "./checks.ts";
import { codeOnScreen, until } from "./owner.ts";

/** A package without which the service does not start. */
const PACKAGE = "/opt/tallydeck/node_modules/koa";

/** Checks what answers where the service cannot start, and that the service comes back. */
export async function checkEmergency(checks: Checks, box: Box): Promise<void> {
  const { controlPort, shell } = box.machine;
  const { says } = shell;
  const ask = (more: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${controlPort}/`, {
      headers: { accept: "text/html" },
      signal: AbortSignal.timeout(60_000),
      ...more,
    });
  const standsIn = () =>
    until("a page in place of the service", async () => {
      const page = await ask().then(
        (answer) => answer.text(),
        () => "",
      );
      return page.includes("Tallydeck cannot start") ? page : undefined;
    });
  const presses = async (button: string) => {
    const code = await until("a code on the screen", () => codeOnScreen(box));
    const answer = await ask({ method: "POST", body: new URLSearchParams({ code, do: button }) });
    assert.equal(answer.status, 200);
    return answer.text();
  };

  await checks.check("answers at both ports when its service cannot start", async () => {
    // A slow guest's service may not stop in time, which counts as a failure, too, with a log of its own.
    await says("systemctl stop tallydeck-{collector,collector-tls,control}.socket tallydeck");
    await says(
      `rm -f /run/tallydeck/log-kept /run/tallydeck/failures; mkdir -p /run/nothing; mount --bind /run/nothing ${PACKAGE}; systemctl start --no-block tallydeck`,
    );
    const [, times] =
      /The service stops by itself\. It failed (\d+) times in a row/.exec(await standsIn()) ?? [];
    // On a slow guest the next try ends before the page is there.
    assert.ok(Number(times) >= 5, `${times} times`);
    const visitor = await box.collector("GET", "/", { headers: { accept: "text/html" } });
    assert.equal(visitor.status, 503);
    assert.match(visitor.body.toString(), /Out of order for now/);
    assert.equal((await box.control("GET", "/api/decks")).json.code, "cannot_start");
    const shown = await says("systemctl show tallydeck-emergency -p User -p CapabilityBoundingSet");
    assert.match(shown, /^User=tallydeck$/m);
    assert.match(shown, /^CapabilityBoundingSet=$/m);
  });

  await checks.check(
    "says so on the screen, and shows the end of the log for its code",
    async () => {
      const screen = (await says("cat /dev/vcs1")).replace(/\s+/g, " ");
      assert.match(screen, /Tallydeck cannot start\./);
      assert.match(screen, /The ways out are at http:\/\/10\.0\.2\.15:3000\//);
      assert.match(await presses("log"), /at packageResolve /);
    },
  );

  await checks.check("shows the code on the keys of a deck, without its driver", async () => {
    const unit = mk2();
    const plugged = await UsbDeck.plug(unit, box.machine.usb);
    const slots = ["k0", "k1", "k2", "k5", "k6", "k7"];
    const code = await until("a code on the deck", () => codeOn(unit, slots));
    assert.equal(code, await codeOnScreen(box));
    plugged.unplug();
  });

  await checks.check("comes back to that page where the service is tried in vain", async () => {
    const failures = async () => Number(await says("wc -l </run/tallydeck/failures"));
    const before = await failures();
    await presses("try");
    await until("another failure", async () => (await failures()) > before);
    await standsIn();
  });

  await checks.check("serves again once it can, and leaves nothing behind", async () => {
    await says(`umount ${PACKAGE}`);
    await presses("try");
    await box.serves();
    const active =
      "systemctl is-active tallydeck-emergency{.service,-collector.socket,-control.socket}";
    assert.equal(await says(active), "inactive\ninactive\ninactive");
    assert.equal(await says("systemctl --failed --no-legend --plain --no-pager"), "");
  });
}
