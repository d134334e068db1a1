import type { OutgoingRequest, Send } from "./outgoing.ts";

/** What is read of an answer's body before the connection is closed. */
const BODY_BYTES = 65_536;

/** Sends over a connection of its own: one that was kept may have been closed by the other side. */
export const sendOnce: Send = (request, signal) =>
  new Promise((resolve, reject) => {
    const { method, url, body } = request;
    const sent = opener(url)(url, { method, headers: headersOf(request), agent: false, signal });
    let status: number | undefined;
    // Whatever ends it, once a status is known that is the answer.
    const over = (error = new Error("the connection was closed without an answer")) => {
      sent.destroy();
      if (status === undefined) reject(error);
      else resolve(status);
    };
    sent.on("response", (response) => {
      status = response.statusCode;
      let left = BODY_BYTES;
      response.on("data", ({ length }: Buffer) => {
        left -= length;
        if (left <= 0) over();
      });
      response.on("end", () => over());
      response.on("error", over);
    });
    sent.on("error", over);
    sent.on("close", () => over());
    sent.end(body);
  });

/** Loaded with the first request: see http/node-http. */
function opener(url: string) {
  return url.startsWith("https:")
    ? process.getBuiltinModule("node:https").request
    : process.getBuiltinModule("node:http").request;
}

function headersOf({ headers, body }: OutgoingRequest): OutgoingRequest["headers"] {
  return body === undefined ? headers : { ...headers, "content-length": String(body.length) };
}
