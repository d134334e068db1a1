import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { needTools } from "../../scripts/tools.ts";
import { eachFolder } from "../helpers/folder.ts";
import { freePort } from "../helpers/free-port.ts";
import { Owner } from "../helpers/owner.ts";
import { askPort, World } from "../helpers/world.ts";

const RULES = join(import.meta.dirname, "../../docs/fleet/alerts.yml");
/** A part of the suite installs what it needs by itself. */

/** Series of ten minutes, one value a minute, and the alerts after them. */
const CASES: readonly {
  readonly series: Readonly<Record<string, string>>;
  readonly alerts: string[];
}[] = [
  {
    series: {
      'up{job="tallydeck",instance="a"}': "1x10",
      'tallydeck_ready{instance="a"}': "1x10",
      'tallydeck_storage_unavailable{instance="a"}': "0x10",
      'tallydeck_waiting_bytes{instance="a"}': "1000x10",
      'tallydeck_batches_total{instance="a",outcome="failed"}': "0x10",
      'tallydeck_place_silent{instance="a",place="Frankfurt"}': "0x10",
    },
    alerts: [],
  },
  { series: { 'up{job="tallydeck",instance="a"}': "0x10" }, alerts: ["TallydeckDown"] },
  { series: { 'tallydeck_ready{instance="a"}': "0x10" }, alerts: ["TallydeckNotReady"] },
  {
    series: {
      'tallydeck_storage_unavailable{instance="a"}': "1x10",
      'tallydeck_waiting_bytes{instance="a"}': "9000000x10",
    },
    alerts: ["TallydeckStoresNothing", "TallydeckMemoryFills"],
  },
  {
    series: { 'tallydeck_batches_total{instance="a",outcome="failed"}': "0+1x10" },
    alerts: ["TallydeckBatchesFail"],
  },
  {
    series: {
      'tallydeck_place_silent{instance="a",place="Frankfurt"}': "0 1x9",
      'tallydeck_place_silent{instance="a",place="Oslo"}': "0x10",
    },
    alerts: ["TallydeckPlaceSilent"],
  },
];

describe("the alert rules for Prometheus", () => {
  const folder = eachFolder();
  before(() => needTools("prometheus"));

  function promtool(...args: string[]): void {
    const { status, stdout, stderr } = spawnSync("promtool", args, { encoding: "utf8" });
    assert.equal(status, 0, `${stdout}${stderr}`);
  }

  it("are read by promtool", () => promtool("check", "rules", RULES));

  it("fire where something is wrong, and where all is well do not", () => {
    const names = [...readFileSync(RULES, "utf8").matchAll(/alert: (\w+)/g)].map(
      ([, name]) => name,
    );
    const tests = CASES.map(({ series, alerts }) => ({
      interval: "1m",
      input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
      alert_rule_test: names.map((alertname) => ({
        eval_time: "10m",
        alertname,
        exp_alerts: alerts.includes(alertname ?? "") ? undefined : [],
      })),
    }));
    for (const [i, test] of tests.entries()) {
      const fires = CASES[i]?.alerts ?? [];
      const silent = {
        ...test,
        alert_rule_test: test.alert_rule_test.filter(({ exp_alerts }) => exp_alerts),
      };
      const file = join(folder(), `${i}.json`);
      writeFileSync(
        file,
        JSON.stringify({ rule_files: [RULES], evaluation_interval: "1m", tests: [silent] }),
      );
      promtool("test", "rules", file);
      for (const alertname of fires) {
        const loud = {
          ...test,
          alert_rule_test: [{ eval_time: "10m", alertname, exp_alerts: [] }],
        };
        writeFileSync(
          file,
          JSON.stringify({ rule_files: [RULES], evaluation_interval: "1m", tests: [loud] }),
        );
        const { status, stdout, stderr } = spawnSync("promtool", ["test", "rules", file], {
          encoding: "utf8",
        });
        assert.notEqual(status, 0, alertname);
        assert.match(`${stdout}${stderr}`, new RegExp(`alertname: ${alertname}`));
      }
    }
  });

  it("name metrics that there are", async () => {
    const port = await freePort();
    const world = new World({ env: { METRICS_PORT: `${port}` } });
    try {
      await world.start();
      const invitation = `tallydeck-place:https://127.0.0.1:9#tdh_${"x".repeat(43)}`;
      await new Owner(world).ask("POST", "/api/places", { invitation });
      const { text } = await askPort(port, "/metrics", {});
      const named = new Set(readFileSync(RULES, "utf8").match(/tallydeck_\w+/g));
      const missing = [...named].filter((name) => !text.includes(name));
      const left = missing.filter((name) => !name.startsWith("tallydeck_database_"));
      assert.deepEqual(left, []);
    } finally {
      await world.end();
    }
  });
});
