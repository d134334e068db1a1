import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { needTools } from "../../scripts/tools.ts";
import { type ActionSource, type DrivenBrowser, endedWithUs } from "./driven-browser.ts";
import { freePort } from "./free-port.ts";
import { until } from "./until.ts";

const ARCHITECTURE = process.arch === "arm64" ? "aarch64" : "x86_64";
const BROWSER = `/usr/lib/${ARCHITECTURE}-linux-gnu/webkit2gtk-4.1/MiniBrowser`;

/**
 * WebDriver knows no console, and WebKit writes none of a driven page's: the page itself is asked. A chart that is drawn
 * anew when it is resized has its new size a frame later, which a slow computer is told of as an error (Resize Observer,
 * 3.4.6).
 */
const WATCH = `(() => {
  if (window.troubles) return;
  window.troubles = [];
  const note = (...words) => window.troubles.push(words.join(" "));
  console.error = console.warn = note;
  addEventListener("error", ({ message, target }) => {
    if (!message?.startsWith("ResizeObserver loop")) note(message ?? target.outerHTML);
  }, true);
  addEventListener("unhandledrejection", ({ reason }) => note(reason));
  addEventListener("securitypolicyviolation", ({ blockedURI }) => note("policy", blockedURI));
})()`;

/** Lets the window be as narrow as a phone: its bar of buttons would not. */
const NARROW = "* { min-width: 0; margin: 0; padding: 0; border-width: 0; font-size: 1px; }";

/**
 * Safari's engine, as Debian has it, on a screen that nobody sees; see
 * https://www.w3.org/TR/webdriver2/ for how it is driven.
 */
export async function openWebKit(): Promise<DrivenBrowser> {
  needTools("webkit2gtk-driver", "xvfb");
  const screen = spawn(
    "Xvfb",
    ["-displayfd", "3", "-screen", "0", "1600x1400x24", "-nolisten", "tcp"],
    { stdio: ["ignore", "ignore", "ignore", "pipe"], detached: true },
  );
  const endScreen = endedWithUs(screen.pid);
  const [display] = (await once(screen.stdio[3] as Readable, "data")) as [Buffer];
  const folder = mkdtempSync(join(tmpdir(), "tallydeck-webkit-"));
  const looks = join(folder, ".config/gtk-3.0");
  mkdirSync(looks, { recursive: true });
  writeFileSync(join(looks, "gtk.css"), NARROW);
  const port = await freePort();
  const driver = spawn("WebKitWebDriver", [`--port=${port}`], {
    stdio: "ignore",
    detached: true,
    env: {
      ...process.env,
      DISPLAY: `:${String(display).trim()}`,
      HOME: folder,
      XDG_RUNTIME_DIR: folder,
      GSETTINGS_BACKEND: "memory",
      GTK_A11Y: "none",
      NO_AT_BRIDGE: "1",
      LIBGL_ALWAYS_SOFTWARE: "1",
      // Tests run as root, and in containers, where there are no namespaces to shut it in.
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1",
    },
  });
  const endDriver = endedWithUs(driver.pid, folder);

  const ask = async (method: "GET" | "POST" | "DELETE", path: string, body?: object) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    const { value } = (await answer.json()) as { value: { error?: string; message?: string } };
    if (!answer.ok) throw new Error(`WebKit: ${value.error}: ${value.message}`);
    return value as unknown;
  };
  let isUp = false;
  const look = () =>
    ask("GET", "/status").then(
      () => {
        isUp = true;
      },
      () => {},
    );
  await until(() => {
    void look();
    return isUp;
  });
  const options = { binary: BROWSER, args: ["--automation"] };
  const { sessionId } = (await ask("POST", "/session", {
    capabilities: { alwaysMatch: { "webkitgtk:browserOptions": options } },
  })) as { sessionId: string };
  const session = `/session/${sessionId}`;
  const evaluate = (expression: string) =>
    ask("POST", `${session}/execute/sync`, { script: `return ${expression}`, args: [] });
  return {
    name: "WebKit",
    troubles: () => evaluate("(window.troubles ?? []).splice(0)") as Promise<string[]>,
    go: async (url) => {
      await ask("POST", `${session}/url`, { url });
      await evaluate(WATCH);
    },
    evaluate,
    perform: async (actions: ActionSource[]) =>
      void (await ask("POST", `${session}/actions`, { actions })),
    resize: async (width, height) => {
      // The bars around the page.
      const [x, y] = (await evaluate("[outerWidth - innerWidth, outerHeight - innerHeight]")) as [
        number,
        number,
      ];
      await ask("POST", `${session}/window/rect`, { width: width + x, height: height + y });
    },
    end: async () => {
      await ask("DELETE", session);
      endDriver();
      endScreen();
    },
  };
}
