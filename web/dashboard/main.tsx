import { render } from "preact";
import { Page } from "./page.tsx";

const app = document.getElementById("app");
if (app) render(<Page />, app);
