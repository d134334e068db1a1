/**
 * The answers by which phones find that a network leads to the internet, by the path of their probes. Before the owner is
 * done, every probe is led to the form.
 */
const GOOD_ANSWERS: ReadonlyMap<string, { status: number; type: string; body: string }> = new Map([
  // iOS, iPadOS and macOS.
  [
    "/hotspot-detect.html",
    page("<HTML><HEAD><TITLE>Success</TITLE></HEAD><BODY>Success</BODY></HTML>"),
  ],
  [
    "/library/test/success.html",
    page("<HTML><HEAD><TITLE>Success</TITLE></HEAD><BODY>Success</BODY></HTML>"),
  ],
  // Android and ChromeOS.
  ["/generate_204", { status: 204, type: "", body: "" }],
  ["/gen_204", { status: 204, type: "", body: "" }],
  // Windows.
  ["/connecttest.txt", text("Microsoft Connect Test")],
  ["/ncsi.txt", text("Microsoft NCSI")],
  // Firefox.
  [
    "/canonical.html",
    page(
      '<meta http-equiv="refresh" content="0;url=https://support.mozilla.org/kb/captive-portal"/>',
    ),
  ],
  ["/success.txt", text("success\n")],
]);

/** The answer that a probe hopes for; undefined for any other path. */
export function goodAnswer(
  path: string,
): { status: number; type: string; body: string } | undefined {
  return GOOD_ANSWERS.get(path);
}

function page(body: string) {
  return { status: 200, type: "text/html", body };
}

function text(body: string) {
  return { status: 200, type: "text/plain", body };
}
