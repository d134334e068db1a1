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

/** A chart with the figures beside its axis, which frappe writes without a unit. */
interface AnyChart extends FrappeChart {
  state: FrappeChart["state"] & { yAxis: { labels: (number | string)[] } };
  calcYAxisParameters(...values: unknown[]): void;
}

declare global {
  /** Set by the script of frappe-charts, which the page loads. */
  var frappe: { default: new (parent: HTMLElement, options: FrappeOptions) => AnyChart };
}

/**
 * A line chart whose axis begins at zero (frappe does that for bar charts only). It is drawn once, and then on demand: by
 * itself frappe draws four times, at first with zeros, twice when it knows its width, and once most of a second later.
 * `sign` follows the figures of the axis.
 */
export function drawLines(
  parent: HTMLElement,
  data: FrappeData,
  height: number,
  sign: string,
): FrappeChart {
  const chart = new frappe.default(parent, {
    type: "bar",
    // The zeros of two points are soon drawn.
    data: {
      labels: data.labels.slice(0, 2),
      datasets: data.datasets.map((line) => ({ ...line, values: line.values.slice(0, 2) })),
    },
    // Colours come from the style sheet, but frappe requires one for each line.
    colors: data.datasets.map(() => "#888888"),
    height,
    animate: 0,
    axisOptions: { xAxisMode: "tick", xIsSeries: 1, shortenYAxisNumbers: 1 },
    lineOptions: { hideDots: 1 },
  });
  // The call only stops the chart's listeners on the window.
  chart.destroy();
  const calculate = chart.calcYAxisParameters.bind(chart);
  chart.calcYAxisParameters = (...values) => {
    calculate(...values);
    const { yAxis } = chart.state;
    yAxis.labels = yAxis.labels.map((label) => label + sign);
  };
  chart.update(data);
  const update = chart.update.bind(chart);
  chart.update = (data) => {
    // Its last call would draw the data that it has already.
    if (data !== chart.data) update(data);
  };
  return chart;
}
