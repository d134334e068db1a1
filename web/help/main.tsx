import { render } from "preact";
import { Help } from "./help.tsx";

const app = document.getElementById("app");
if (app) render(<Help />, app);
