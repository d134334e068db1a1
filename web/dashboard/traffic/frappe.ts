import type { FrappeChart, FrappeData } from "./trend-plot.ts";

interface FrappeOptions {
  type: "bar";
  data: FrappeData;
  colors: string[];
  height: number;
  animate: 0;
  axisOptions: { xAxisMode: "tick"; xIsSeries: 1; shortenYAxisNumbers: 1 };
  lineOptions: { hideDots: 1 };
}

declare global {
  /** Set by the script of frappe-charts, which the page loads. */
  var frappe: { Chart: new (parent: HTMLElement, options: FrappeOptions) => FrappeChart };
}

/**
 * A line chart whose axis begins at zero (frappe does that for its bar charts only), drawn once and
 * then only when it is told to: by itself frappe draws four times, first with zeros, twice as soon
 * as it sees its own width, and last most of a second later.
 */
export function drawLines(parent: HTMLElement, data: FrappeData, height: number): FrappeChart {
  const chart = new frappe.Chart(parent, {
    type: "bar",
    // The zeros of two points are soon drawn.
    data: {
      labels: data.labels.slice(0, 2),
      datasets: data.datasets.map((line) => ({ ...line, values: line.values.slice(0, 2) })),
    },
    // Colours come from the style sheet; frappe wants one per line all the same.
    colors: data.datasets.map(() => "#888888"),
    height,
    animate: 0,
    axisOptions: { xAxisMode: "tick", xIsSeries: 1, shortenYAxisNumbers: 1 },
    lineOptions: { hideDots: 1 },
  });
  // It stops to watch the window, and nothing else.
  chart.destroy();
  chart.update(data);
  const update = chart.update.bind(chart);
  chart.update = (data) => {
    // At the end it wants to draw the data that it has already.
    if (data !== chart.data) update(data);
  };
  return chart;
}
