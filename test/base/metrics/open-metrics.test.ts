import assert from "node:assert/strict";
import { Histogram } from "../../../appliance/base/metrics/histogram.ts";
import { openMetrics, prometheusText } from "../../../appliance/base/metrics/open-metrics.ts";
import { EventLoopDelay } from "../../../appliance/base/metrics/process.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { readOpenMetrics } from "../../helpers/open-metrics.ts";

describe("metrics", () => {
  it("are written for Prometheus by the names of their samples, without unit and end", () => {
    const text = prometheusText([
      {
        name: "box_bytes",
        type: "gauge",
        unit: "bytes",
        help: 'A "box"\\\nof bytes.',
        samples: [{ labels: { of: 'a "b"\\\n' }, value: 1.5 }],
      },
      { name: "box_doors", type: "counter", help: "Doors.", samples: [{ value: 2 }] },
      { name: "box", type: "info", help: "Box.", labels: { of: "wood" } },
    ]);
    assert.equal(
      text,
      `# HELP box_bytes A "box"\\\\\\nof bytes.
# TYPE box_bytes gauge
box_bytes{of="a \\"b\\"\\\\\\n"} 1.5
# HELP box_doors_total Doors.
# TYPE box_doors_total counter
box_doors_total 2
# HELP box_info Box.
# TYPE box_info gauge
box_info{of="wood"} 1
`,
    );
  });

  it("are written with type, unit and help, and end with # EOF", () => {
    const text = openMetrics([
      {
        name: "box_bytes",
        type: "gauge",
        unit: "bytes",
        help: 'A "box"\\\nof bytes.',
        samples: [{ labels: { of: 'a "b"\\\n' }, value: 1.5 }],
      },
      { name: "box_doors", type: "counter", help: "Doors.", samples: [{ value: 2 }] },
    ]);
    assert.equal(
      text,
      `# TYPE box_bytes gauge
# UNIT box_bytes bytes
# HELP box_bytes A \\"box\\"\\\\\\nof bytes.
box_bytes{of="a \\"b\\"\\\\\\n"} 1.5
# TYPE box_doors counter
# HELP box_doors Doors.
box_doors_total 2
# EOF
`,
    );
    assert.equal(readOpenMetrics(text).get("box_bytes")?.samples[0]?.labels.of, 'a "b"\\\n');
  });

  it("tell how often something was how large", () => {
    const seconds = new Histogram([0.5, 1]);
    for (const value of [0.25, 0.5, 0.75, 4]) seconds.observe(value);
    const text = openMetrics([
      { name: "wait_seconds", type: "histogram", unit: "seconds", help: "Waits.", of: seconds },
    ]);
    const samples = readOpenMetrics(text).get("wait_seconds")?.samples;
    assert.deepEqual(
      samples?.map(({ labels, value }) => [labels.le, value]),
      [
        ["0.5", 2],
        ["1.0", 3],
        ["+Inf", 4],
        [undefined, 4],
        [undefined, 5.5],
      ],
    );
  });

  it("tell how late the event loop comes to what is due", () => {
    const clock = new FakeClock();
    const delay = new EventLoopDelay(clock);
    clock.advance(250);
    clock.jump(250 + 40);
    delay.stop();
    const found = delay.seconds.buckets.map(([, count]) => count);
    assert.deepEqual(found, [1, 1, 2, 2, 2, 2]);
  });
});
