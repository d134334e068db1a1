import { constants, KeyObject } from "node:crypto";
import type { Socket } from "node:net";
import type { SecureContext, Server, TLSSocket, TlsOptions } from "node:tls";
import type { Log } from "../log.ts";
import type { Cancel, Listenable } from "../signal.ts";

/** The protocol of a CA that checks a challenge: RFC 8737, section 3. */
const CHALLENGE_PROTOCOL = "acme-tls/1";
const PROTOCOL = "http/1.1";

/** A chain in PEM, the server's own certificate first, and its key. */
interface TlsCertificate {
  readonly cert: string;
  readonly key: string | KeyObject;
}

/** The certificates that are shown to clients of TLS. */
export interface Certificates {
  /** The certificate for visitors; undefined while there is none. */
  current: () => TlsCertificate | undefined;
  changed: Listenable;
  /** The challenge for a CA that asks for this name. */
  challengeFor: (servername: string) => SecureContext | undefined;
}

interface TlsParts {
  log: Pick<Log, "warn">;
  certificates: Certificates;
}

/**
 * TLS on connections that another server has accepted. Without a certificate, handshakes are refused with an alert,
 * but a CA with TLS 1.3 still gets its challenge. The certificate may change at any time; open connections keep
 * theirs.
 */
export class Tls {
  readonly #server: Server;
  readonly #parts: TlsParts;
  readonly #handshakes = new WeakMap<Socket, (socket: TLSSocket) => void>();
  readonly #forget: Cancel;

  constructor(parts: TlsParts) {
    this.#parts = parts;
    // TLS is loaded only here, since most boxes do without.
    this.#server = process.getBuiltinModule("node:tls").createServer({
      ...BOUNDS,
      ALPNCallback: choiceBetween(parts.certificates.challengeFor),
    });
    this.#server.on("secureConnection", (socket) => this.#secured(socket));
    this.#show();
    this.#forget = parts.certificates.changed.on(() => this.#show());
  }

  /** Begins a handshake; `secured` is called when it is done. One that fails closes `socket`. */
  begin(socket: Socket, secured: (socket: TLSSocket) => void): void {
    this.#handshakes.set(socket, secured);
    this.#server.emit("connection", socket);
  }

  /** Stops listening for other certificates. */
  close(): void {
    this.#forget();
  }

  #secured(socket: TLSSocket): void {
    const secured = this.#handshakes.get(below(socket));
    // The handshake alone was the challenge.
    if (socket.alpnProtocol === CHALLENGE_PROTOCOL)
      socket
        .on("error", () => {})
        .end()
        .resume();
    else secured?.(socket);
  }

  #show(): void {
    try {
      this.#server.setSecureContext({ ...BOUNDS, ...shown(this.#parts.certificates.current()) });
    } catch (error) {
      this.#parts.log.warn({ err: error }, "A certificate cannot be used: the one before stays");
    }
  }
}

const CIPHERS = [
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
];

const BOUNDS: TlsOptions = {
  minVersion: "TLSv1.2",
  // Node's own list still has CBC suites, whose padding has leaked time and again.
  ciphers: CIPHERS.join(":"),
  // With renegotiation, a client could keep the box busy for ever on one connection.
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
};

function shown(certificate: TlsCertificate | undefined): TlsOptions {
  if (certificate === undefined) return {};
  const { cert, key } = certificate;
  return {
    cert,
    key: key instanceof KeyObject ? key.export({ type: "pkcs8", format: "pem" }) : key,
  };
}

/** Shows a challenge to the CA alone, while visitors go on with the certificate that is there. */
function choiceBetween(
  challengeFor: Certificates["challengeFor"],
): NonNullable<TlsOptions["ALPNCallback"]> {
  return function (this: TLSSocket, { servername, protocols }) {
    // For a client without SNI this is `false`, although the types say otherwise.
    const isOfCa = Boolean(servername) && protocols.includes(CHALLENGE_PROTOCOL);
    const challenge = isOfCa ? challengeFor(servername) : undefined;
    if (challenge === undefined) return protocols.includes(PROTOCOL) ? PROTOCOL : undefined;
    this.setKeyCert(challenge);
    return CHALLENGE_PROTOCOL;
  };
}

/** The connection that TLS was begun on, which Node gives no other name. */
function below(socket: TLSSocket & { _parent?: Socket }): Socket {
  return socket._parent ?? socket;
}
