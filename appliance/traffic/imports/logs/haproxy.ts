/** HAProxy's own formats, `option httplog` and `option httpslog`, up to the status (section 8.2.3 of its manual). */
const HTTPLOG = /^\S+:\d+ \[\d\d\/\w{3}\/\d{4}:[\d:.]+\] \S+ \S+ [-+\d/]+ -?\d+ /;

/** Whether a line is a request as HAProxy writes it by default, without the user agent. */
export function isHttplog(line: string): boolean {
  return HTTPLOG.test(line);
}

/** The lines that let HAProxy write the combined format. */
const SETTINGS = [
  "capture request header Host len 255",
  "capture request header Referer len 1024",
  "capture request header User-Agent len 1024",
  "log-format '%[capture.req.hdr(0)] %ci - - [%trl] %{+Q,+E}r %ST %B %{+Q,+E}[capture.req.hdr(1)] %{+Q,+E}[capture.req.hdr(2)]'",
];

/** The sentence for a log of such lines alone. */
export const NO_USER_AGENT = `This is HAProxy's httplog, which has neither user agents nor referrers. Replace "option httplog" in its frontend by these lines, and import what it logs from then on: ${SETTINGS.join("; ")}`;
