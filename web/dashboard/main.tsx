import { render } from "preact";
import { Page } from "./page.tsx";

const app = document.getElementById("app");
if (app) render(<Page />, app);

/** The width of a chart in a card on upright A4 or Letter, CSS pixels. */
const PAPER = 650;

// No browser tells a page how wide paper is before it prints, so that the chart could be drawn anew.
addEventListener("beforeprint", () => {
  const width = document.querySelector(".trend .plot")?.clientWidth ?? 0;
  const zoom = width > PAPER ? PAPER / width : 1;
  document.documentElement.style.setProperty("--paper-zoom", zoom.toFixed(3));
});
