import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { needTools } from "../../../scripts/tools.ts";
import { freePort } from "../../helpers/free-port.ts";
import { readOpenMetrics, readPrometheusText } from "../../helpers/open-metrics.ts";
import { askPort, World } from "../../helpers/world.ts";

/** A part of the suite installs what it needs by itself. */
const INSTALL_MS = 300_000;
const OPEN = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const PLAIN = "text/plain; version=0.0.4; charset=utf-8";
/** The `Accept` of each program. */
const PROMETHEUS =
  "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2";
const PROMETHEUS_1 =
  "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.7,text/plain;version=0.0.4;q=0.3";
const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8";

describe("/metrics", () => {
  let port: number;
  let world: World;
  before(async () => {
    port = await freePort();
    world = new World({ env: { METRICS_PORT: `${port}`, NODE_NAME: "attic" } });
    await world.start();
    await world.beacon({});
  });
  after(() => world.end());

  const ask = (accept: string | undefined) =>
    askPort(port, "/metrics", { headers: accept === undefined ? {} : { accept } });

  for (const [accept, type] of [
    [undefined, OPEN],
    ["", OPEN],
    ["*/*", OPEN],
    ["application/openmetrics-text", OPEN],
    ["application/openmetrics-text; version=0.0.1,text/plain;version=0.0.4;q=0.5,*/*;q=0.1", OPEN],
    ["text/plain, application/openmetrics-text", OPEN],
    ["text/plain;q=0.5,*/*", OPEN],
    ["text/plain;q=0", OPEN],
    ["application/json", OPEN],
    [PROMETHEUS, OPEN],
    [BROWSER, OPEN],
    ["text/plain", PLAIN],
    ["TEXT/PLAIN; Version=0.0.4", PLAIN],
    ["text/*", PLAIN],
    ["text/plain;version=0.0.4;q=1,*/*;q=0.1", PLAIN],
    ["*/*, text/plain", PLAIN],
    ["application/openmetrics-text;q=0, */*", PLAIN],
    ["application/openmetrics-text;q=0.2, text/plain;q=0.9", PLAIN],
    [PROMETHEUS_1, PLAIN],
  ] as const)
    it(`answers ${accept} with ${type}`, async () => {
      const { headers, text } = await ask(accept);
      assert.deepEqual([headers["content-type"], headers.vary], [type, "Accept"]);
      (type === OPEN ? readOpenMetrics : readPrometheusText)(text);
    });

  it("tells the same in both", async () => {
    const [open, plain] = await Promise.all([ask("*/*"), ask("text/plain")]);
    const values = (text: string) =>
      text.split("\n").filter((line) => /^tallydeck_[bhnrw]/.test(line));
    assert.deepEqual(values(plain.text), values(open.text));
    assert.ok(values(plain.text).includes('tallydeck_node_info{name="attic"} 1'));
  });

  it("passes promtool", async () => {
    needTools("prometheus");
    const { text: input } = await ask("text/plain");
    const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], { input });
    assert.deepEqual([status, `${stdout}${stderr}`], [0, ""]);
  }).timeout(INSTALL_MS);
});
