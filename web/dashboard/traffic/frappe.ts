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
 * A line chart whose axis begins at zero (frappe does that for its bar charts only), drawn at once:
 * its opening animation would show zeros for most of a second.
 */
export function drawLines(parent: HTMLElement, data: FrappeData, height: number): FrappeChart {
  const chart = new frappe.Chart(parent, {
    type: "bar",
    data,
    // Colours come from the style sheet; frappe wants one per line all the same.
    colors: data.datasets.map(() => "#888888"),
    height,
    animate: 0,
    axisOptions: { xAxisMode: "tick", xIsSeries: 1, shortenYAxisNumbers: 1 },
    lineOptions: { hideDots: 1 },
  });
  chart.update(data);
  return chart;
}
