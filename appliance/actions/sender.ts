import { exchange } from "../http/exchange.ts";
import type { Send } from "./outgoing.ts";

/** The most bytes of an answer's body to read before the connection is closed. */
const BODY_BYTES = 65_536;

export const sendOnce: Send = async (request, signal) => {
  const { status } = await exchange(request, { mostBytes: BODY_BYTES, signal });
  return status;
};
