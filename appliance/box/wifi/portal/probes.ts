import { entryOf } from "../../../base/input/json.ts";

interface GoodAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const APPLE = page("<HTML><HEAD><TITLE>Success</TITLE></HEAD><BODY>Success</BODY></HTML>");
const ANDROID = { status: 204, type: "", body: "" };
const FIREFOX =
  '<meta http-equiv="refresh" content="0;url=https://support.mozilla.org/kb/captive-portal"/>';

/**
 * The answers by which phones find that a network leads to the internet, by the path of their probes. Before the owner is
 * done, every probe is led to the form.
 */
const GOOD_ANSWERS: Readonly<Record<string, GoodAnswer>> = {
  // iOS, iPadOS and macOS.
  "/hotspot-detect.html": APPLE,
  "/library/test/success.html": APPLE,
  // Android and ChromeOS.
  "/generate_204": ANDROID,
  "/gen_204": ANDROID,
  // Windows.
  "/connecttest.txt": text("Microsoft Connect Test"),
  "/ncsi.txt": text("Microsoft NCSI"),
  // Firefox.
  "/canonical.html": page(FIREFOX),
  "/success.txt": text("success\n"),
};

/** The answer that a probe hopes for; undefined for any other path. */
export function goodAnswer(path: string): GoodAnswer | undefined {
  return entryOf(GOOD_ANSWERS, path);
}

function page(body: string): GoodAnswer {
  return { status: 200, type: "text/html", body };
}

function text(body: string): GoodAnswer {
  return { status: 200, type: "text/plain", body };
}
