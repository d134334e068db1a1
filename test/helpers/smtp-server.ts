import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import { newCertificate } from "./certificates.ts";

/** A mail that the server has taken. */
interface Taken {
  readonly from: string;
  readonly to: readonly string[];
  /** As it came, without the dots of its transport. */
  readonly data: string;
}

interface SmtpOptions {
  /** By TLS from the first byte on, or once that is asked for; `none` does not offer it. */
  readonly security?: "tls" | "starttls" | "none";
  readonly user?: string;
  readonly password?: string;
}

/** Faults of the next connections, one after the other; none after the last. */
export type SmtpFault =
  | "refuse login"
  | "greylist"
  | "no such user"
  | "refuse mail"
  | "busy"
  | "hang up"
  /** In the middle of a mail. */
  | "cut data"
  /** Once it has all of a mail, and has taken it. */
  | "cut answer"
  /** Never says anything. */
  | "silent";

/** A mail server on 127.0.0.1, as RFC 5321 has it, with a certificate for `localhost`. */
export class SmtpServer {
  readonly taken: Taken[] = [];
  faults: SmtpFault[] = [];
  /** The number of connections that came. */
  connections = 0;
  /** The lines that clients sent before any TLS. */
  readonly plain: string[] = [];
  /** The certificate of the authority that signed its own. */
  readonly ca: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #options: Required<SmtpOptions>;
  readonly #context: ReturnType<typeof createSecureContext>;
  #wake: (() => void)[] = [];

  private constructor(server: Server, options: SmtpOptions) {
    const { cert, key, ca } = newCertificate();
    this.ca = ca;
    this.#server = server;
    this.#options = { security: "tls", user: "me", password: "right", ...options };
    this.#context = createSecureContext({ cert, key });
    server.on("connection", (socket) => this.#connected(socket));
  }

  static async start(options: SmtpOptions = {}): Promise<SmtpServer> {
    const server = createServer();
    const smtp = new SmtpServer(server, options);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return smtp;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Settings that lead a box to it. */
  get settings() {
    const { security, user, password } = this.#options;
    return {
      host: "localhost",
      port: this.port,
      user,
      password,
      from: "box@example.org",
      ca: this.ca,
      security: security === "none" ? ("starttls" as const) : security,
    };
  }

  /** Resolves once so many mails were taken in all. */
  async mails(count: number): Promise<Taken[]> {
    while (this.taken.length < count)
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    return this.taken;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #connected(socket: Socket): void {
    this.connections += 1;
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => {});
    const fault = this.faults.shift();
    if (fault === "hang up") socket.destroy();
    if (fault === "hang up" || fault === "silent") return;
    const isSecured = this.#options.security === "tls";
    new Session(isSecured ? this.#secured(socket) : socket, {
      ...this.#options,
      fault,
      isSecured,
      secured: (plain) => this.#secured(plain),
      heard: (line) => void this.plain.push(line),
      take: (mail) => {
        this.taken.push(mail);
        for (const wake of this.#wake.splice(0)) wake();
      },
    });
  }

  #secured(socket: Socket): TLSSocket {
    const secured = new TLSSocket(socket, { isServer: true, secureContext: this.#context });
    // A client that does not believe us.
    secured.on("error", () => socket.destroy());
    return secured;
  }
}

interface SessionParts extends Required<SmtpOptions> {
  readonly fault: SmtpFault | undefined;
  readonly isSecured: boolean;
  readonly secured: (plain: Socket) => TLSSocket;
  readonly heard: (line: string) => void;
  readonly take: (mail: Taken) => void;
}

/** One connection, from its greeting on. */
class Session {
  readonly #parts: SessionParts;
  #socket: Socket;
  #isSecured: boolean;
  #isKnown = false;
  #from = "";
  #to: string[] = [];
  #rest = "";
  #isData = false;
  /** A sign-in that waits for its next line. */
  #login: ((line: string) => void) | undefined;

  constructor(socket: Socket, parts: SessionParts) {
    this.#parts = parts;
    this.#socket = socket;
    this.#isSecured = parts.isSecured;
    this.#listen();
    this.#say(parts.fault === "busy" ? "421 Too busy" : "220 localhost ESMTP");
    if (parts.fault === "busy") socket.end();
  }

  #listen(): void {
    this.#socket.on("error", () => {});
    this.#socket.on("data", (bytes) => this.#read(bytes.toString("latin1")));
  }

  #read(text: string): void {
    this.#rest += text;
    for (;;) {
      if (this.#isData) {
        if (this.#parts.fault === "cut data") {
          this.#socket.destroy();
          return;
        }
        const end = this.#rest.indexOf("\r\n.\r\n");
        if (end < 0) return;
        this.#end(this.#rest.slice(0, end + 2));
        this.#rest = this.#rest.slice(end + 5);
        continue;
      }
      const end = this.#rest.indexOf("\r\n");
      if (end < 0) return;
      const line = this.#rest.slice(0, end);
      this.#rest = this.#rest.slice(end + 2);
      if (!this.#isSecured) this.#parts.heard(line);
      this.#command(line);
    }
  }

  #command(line: string): void {
    if (this.#login !== undefined) {
      this.#login(line);
      return;
    }
    const [verb = ""] = line.toUpperCase().split(/[ :]/);
    const answer = this.#verbs[verb];
    if (answer === undefined) this.#say("502 What?");
    else answer(line);
  }

  readonly #verbs: Readonly<Record<string, (line: string) => void>> = {
    EHLO: () => {
      this.#say("250-localhost");
      if (this.#parts.security === "starttls" && !this.#isSecured) this.#say("250-STARTTLS");
      if (this.#isSecured) this.#say("250-AUTH PLAIN LOGIN");
      this.#say("250 8BITMIME");
    },
    STARTTLS: () => (this.#parts.security === "starttls" ? this.#secure() : this.#say("502 What?")),
    AUTH: (line) => this.#auth(line),
    MAIL: (line) => {
      this.#from = addressIn(line);
      this.#to = [];
      this.#say(this.#isKnown ? "250 Fine" : "530 Sign in first");
    },
    RCPT: (line) => {
      this.#to.push(addressIn(line));
      const refusal = REFUSED[this.#parts.fault ?? ""];
      this.#say(refusal ?? "250 Fine");
    },
    DATA: () => {
      this.#isData = true;
      this.#say("354 Go on");
    },
    QUIT: () => {
      this.#say("221 Bye");
      this.#socket.end();
    },
  };

  #secure(): void {
    this.#say("220 Go on");
    this.#socket.removeAllListeners("data");
    this.#socket = this.#parts.secured(this.#socket);
    this.#isSecured = true;
    this.#listen();
  }

  #auth(line: string): void {
    const [, method, first] = line.split(" ");
    if (!this.#isSecured) this.#say("538 Not without TLS");
    else if (method === "PLAIN" && first !== undefined) {
      const [, user = "", password = ""] = decoded(first).split("\0");
      this.#signIn(user, password);
    } else {
      this.#say(`334 ${Buffer.from("Username:").toString("base64")}`);
      this.#login = (user) => {
        this.#say(`334 ${Buffer.from("Password:").toString("base64")}`);
        this.#login = (password) => {
          this.#login = undefined;
          this.#signIn(decoded(user), decoded(password));
        };
      };
    }
  }

  #signIn(user: string, password: string): void {
    const { fault, ...right } = this.#parts;
    this.#isKnown = fault !== "refuse login" && user === right.user && password === right.password;
    this.#say(this.#isKnown ? "235 Welcome" : "535 5.7.8 Wrong user or password");
  }

  #end(data: string): void {
    const { fault, take } = this.#parts;
    this.#isData = false;
    if (fault === "refuse mail") {
      this.#say("554 5.7.1 This looks like spam");
      return;
    }
    take({ from: this.#from, to: this.#to, data: data.replaceAll("\r\n..", "\r\n.") });
    if (fault === "cut answer") this.#socket.destroy();
    else this.#say("250 Taken");
  }

  #say(line: string): void {
    this.#socket.write(`${line}\r\n`);
  }
}

/** Answers to who names a recipient, by fault. */
const REFUSED: Readonly<Record<string, string>> = {
  greylist: "451 4.7.1 Greylisted, try again in 300 seconds",
  "no such user": "550 5.1.1 There is no such user",
};

function addressIn(line: string): string {
  return /<(.*?)>/.exec(line)?.[1] ?? "";
}

function decoded(text: string): string {
  return Buffer.from(text, "base64").toString();
}
