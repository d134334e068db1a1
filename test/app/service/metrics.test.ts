import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { DAY_MS } from "../../../appliance/base/calendar.ts";
import { FAILING_CARD } from "../../helpers/box-parts.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { freePort } from "../../helpers/free-port.ts";
import { readOpenMetrics } from "../../helpers/open-metrics.ts";
import { Owner } from "../../helpers/owner.ts";
import { askPort, World } from "../../helpers/world.ts";

describe("the metrics of a service", () => {
  const folder = eachFolder();

  it("tell what was written to the disk, and its errors", async () => {
    const port = await freePort();
    const world = new World({ env: { METRICS_PORT: `${port}` } });
    world.disk = FAILING_CARD;
    await world.start();
    try {
      const families = readOpenMetrics((await askPort(port, "/metrics")).text);
      const samples = (name: string) => families.get(name)?.samples ?? [];
      assert.equal(samples("tallydeck_disk_written_bytes")[0]?.value, 12e6);
      assert.deepEqual(
        samples("tallydeck_disk_recent_errors").map(({ labels, value }) => [labels.kind, value]),
        [...Object.entries({ write: 0, read: 0, device: 0, data: 1, files: 0 })],
      );
    } finally {
      await world.end();
    }
  });

  it("tell of the last good backup at each place, and of a place that fails", async () => {
    const port = await freePort();
    const backups = join(folder(), "backups");
    const world = new World({ env: { METRICS_PORT: `${port}`, BACKUP_DIR: backups } });
    await world.start();
    const value = async (name: string) => {
      const families = readOpenMetrics((await askPort(port, "/metrics")).text);
      const samples = families.get(`tallydeck_backup_${name}`)?.samples ?? [];
      for (const { labels } of samples) assert.deepEqual(labels, { target: "folder" });
      return samples[0]?.value;
    };
    const becomes = async (name: string, isWanted: (value: number) => boolean) => {
      while (!isWanted((await value(name)) ?? Number.NaN)) await setTimeout(20);
    };
    try {
      const at = world.clock.now() / 1_000;
      await becomes("last_good_timestamp_seconds", (seconds) => Math.abs(seconds - at) < 60);
      await becomes("last_good_bytes", (bytes) => bytes > 1_000);
      assert.deepEqual([await value("failed_tries"), await value("overdue")], [0, 0]);
      rmSync(backups, { recursive: true });
      writeFileSync(backups, "");
      world.clock.jump(8 * DAY_MS);
      await becomes("overdue", (overdue) => overdue === 1);
      await becomes("failed_tries", (tries) => tries > 0);
    } finally {
      await world.end();
    }
  });

  it("tell of places, and of one that is silent", async () => {
    const port = await freePort();
    const world = new World({ env: { METRICS_PORT: `${port}` } });
    await world.start();
    const samples = async (name: string) =>
      readOpenMetrics((await askPort(port, "/metrics")).text).get(`tallydeck_place_${name}`)
        ?.samples ?? [];
    const of = async (name: string) =>
      (await samples(name)).map(({ labels, value }) => [labels.place, value]);
    try {
      assert.deepEqual(await of("silent"), []);
      // Nothing listens there.
      const invitation = `tallydeck-place:https://127.0.0.1:9#tdh_${"x".repeat(43)}`;
      const owner = new Owner(world);
      await owner.ask("POST", "/api/places", { invitation, name: "Frankfurt" });
      while (JSON.stringify(await of("failing")) !== '[["Frankfurt",1]]') await setTimeout(20);
      assert.deepEqual(await of("silent"), [["Frankfurt", 0]]);
      assert.deepEqual(await of("hits"), [["Frankfurt", 0]]);
      assert.deepEqual(await of("last_answer_timestamp_seconds"), []);
      world.clock.advance(10 * 60_000);
      assert.deepEqual(await of("silent"), [["Frankfurt", 1]]);
    } finally {
      await world.end();
    }
  });

  it("count what came in and what was stored, and name no site and no visitor", async () => {
    const port = await freePort();
    const world = new World({ env: { METRICS_PORT: `${port}`, NODE_NAME: "attic" } });
    await world.start();
    try {
      await world.beacon({ p: "/secret-page", h: "https://visitor.example" });
      await world.beacon({ ev: "signup" });
      await world.beacon({ p: "/" }, { headers: { "user-agent": "Googlebot/2.1" } });
      await world.beacon({ p: "/" }, { s: "nobody" });
      await world.ping({ v: "1.2.3" });
      await world.survey({ sv: 1, a: {} });
      await world.survey("no survey");
      await world.ask("/nothing");
      const { headers, text } = await askPort(port, "/metrics");
      assert.equal(
        headers["content-type"],
        "application/openmetrics-text; version=1.0.0; charset=utf-8",
      );
      assert.doesNotMatch(text, /blog|secret|visitor\.example|signup|nobody/);
      const families = readOpenMetrics(text);
      const value = (family: string, labels: Record<string, string> = {}) =>
        families
          .get(family)
          ?.samples.find((each) =>
            Object.entries(labels).every(([key, text]) => each.labels[key] === text),
          )?.value;
      const hits = (kind: string, outcome: string) => value("tallydeck_hits", { kind, outcome });
      assert.deepEqual(
        [
          hits("view", "counted"),
          hits("view", "unknown_site"),
          hits("event", "counted"),
          hits("bot", "counted"),
          hits("ping", "counted"),
          hits("survey", "counted"),
          hits("survey", "refused"),
        ],
        [1, 1, 1, 1, 1, 1, 1],
      );
      const found = ["2xx", "4xx"].map((code) => value("tallydeck_http_responses", { code }));
      assert.deepEqual(found, [6, 2]);
      assert.equal(value("tallydeck_node", { name: "attic" }), 1);
      assert.equal(value("tallydeck_ready"), 1);
      assert.equal(value("tallydeck_waiting_hits"), 0);
      assert.ok((value("tallydeck_batches", { outcome: "stored" }) ?? 0) > 0);
      assert.ok((value("process_resident_memory_bytes") ?? 0) > 1e6);
      assert.equal((await askPort(port, "/")).status, 404);
      assert.equal((await askPort(port, "/metrics", { method: "POST" })).status, 405);
      assert.equal((await world.ask("/metrics")).status, 404);
    } finally {
      await world.end();
    }
    await assert.rejects(askPort(port, "/metrics"), { code: "ECONNREFUSED" });
  });
});
