/**
 * The parts of `node:http` that the listeners need, without an import: an import reads all names, `WebSocket` among
 * them, for which Node loads its whole web client, 7 MB and a fifth of a start.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule("node:http");
