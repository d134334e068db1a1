import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { dayOf, formatDay } from "../../../../appliance/base/calendar.ts";
import { tallydeck } from "../../../helpers/command-line.ts";
import { Running } from "../../../helpers/tallydeck.ts";
import { askPort } from "../../../helpers/world.ts";

describe("tallydeck run --demo", () => {
  /** Its 400 days take seconds to make up. */
  let service: Running;
  const portOf = async (pattern: RegExp) => Number((await service.says(pattern))[1]);
  before(async () => {
    const decks = ["mk2", "mini"].flatMap((model) => ["--virtual-deck", model]);
    const args = ["run", "--demo", "--port", "0", "--webui-port", "0", ...decks];
    service = new Running(args, {}, { isHere: true });
    await service.says(/Data {7}(\S+)/);
  });

  it("fills the keys of its decks, with pushed texts among them", async () => {
    const port = await portOf(/Web UI {5}http:\/\/localhost:(\d+)/);
    const read = async (path: string) => (await askPort(port, path)).json;
    const [mk2, mini] = (await read("/api/decks")).decks;
    assert.deepEqual([mk2.name, mini.name], ["Elgato Stream Deck MK.2", "Elgato Stream Deck Mini"]);
    for (const { slots } of [mk2, mini])
      for (const { slot, widget } of slots) assert.notEqual(widget.type, "empty", slot);
    const { channels } = await read("/api/push-channels");
    assert.ok(channels.length > 0);
    for (const { channel, bound, expiresAt } of channels) {
      assert.ok(bound > 0, channel);
      assert.equal(expiresAt, null);
    }
  });

  it("shows 400 days of two sites, which are gone when it stops", async () => {
    const port = await portOf(/localhost:(\d+)\/dashboard/);
    await service.says(/signed in: http:\/\/localhost:\d+\/\?go=dashboard\n/);
    const [, token] = await service.says(/The token is (\S+)/);
    const [, dataDir] = await service.says(/Data {7}(\S+)/);
    const read = async (path: string) =>
      (await askPort(port, path, { headers: { authorization: `Bearer ${token}` } })).json;

    const sites: { id: string }[] = await read("/sites");
    assert.equal(sites.length, 2);
    for (const { id } of sites) {
      const { series } = await read(`/stats?site=${id}&from=first&series=1`);
      assert.equal(series.length, 400);
    }
    // As of hits that came in, it is known what came together.
    const from = formatDay(dayOf(Date.now()) - 80);
    const asked = `/stats?site=fieldnotes&from=${from}&where=os:is:iOS`;
    const { browser, pv, path } = await read(asked);
    assert.deepEqual(Object.keys(browser).sort(), ["Chrome", "Safari"]);
    const found = Object.values<number>(path).reduce((sum, n) => sum + n, 0);
    assert.equal(found, pv._);
    assert.ok(existsSync(dataDir as string));
    await service.end();
    assert.ok(!existsSync(dataDir as string));
  });

  it("takes no data folder, for it would not use it", async () => {
    const { code, out, err } = await tallydeck(["run", "--demo", "--data-dir", "/nowhere"]);
    assert.deepEqual([code, out], [2, ""]);
    assert.match(err, /^--demo keeps made-up data in a folder of its own, .* leave out --data-dir/);
  });
});
