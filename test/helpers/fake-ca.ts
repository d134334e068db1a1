import { execFileSync } from "node:child_process";
import { createHash, createPublicKey, type JsonWebKey, randomUUID, verify } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

type Place =
  | "directory"
  | "nonce"
  | "account"
  | "newOrder"
  | "order"
  | "authorization"
  | "challenge"
  | "finalize"
  | "certificate"
  | "renewal";

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | object;
}

/** A wrong answer: none, a fixed one, or one made from the right answer. */
type Fault = "hang" | Answer | ((right: Answer) => Answer);

interface Came {
  readonly place: Place;
  readonly payload: Payload | undefined;
  readonly userAgent: string | undefined;
}

interface Payload {
  readonly identifiers?: readonly { type: string; value: string }[];
  readonly replaces?: string;
  readonly profile?: string;
  readonly csr?: string;
  readonly status?: string;
  readonly termsOfServiceAgreed?: boolean;
}

interface Order {
  status: string;
  authorization: string;
  identifier: { type: string; value: string };
  error?: object;
}

/** A problem document (RFC 8555 section 6.7). */
export function problem(type: string, status = 400, headers: Answer["headers"] = {}): Answer {
  const body = { type: `urn:ietf:params:acme:error:${type}`, detail: `said of ${type}`, status };
  return { status, headers, body };
}

/**
 * A CA that does what it is told to: it checks each signature, nonce and address as a real one does,
 * and answers wrong where a test wants it. It looks at no name itself.
 */
export class FakeCa {
  readonly ca: string;
  readonly came: Came[] = [];
  /** For the next requests of a place, one after the other; undefined is the right answer. */
  readonly next: Partial<Record<Place, (Fault | undefined)[]>> = {};
  /** For all requests of a place after those. */
  readonly always: Partial<Record<Place, Fault>> = {};
  meta: object = { termsOfService: "https://ca.example/terms" };
  offered: readonly string[] = ["http-01", "dns-01", "tls-alpn-01", "dns-persist-01"];
  /** The number of looks at which an authorisation is still pending after its challenge. */
  pending = 0;
  /** Which challenges fail, and how. */
  readonly failing: Record<string, object> = {};
  validationRecord: unknown = [];
  /** Whether every authorisation is valid from the start. */
  isKnown = false;
  window: unknown = {};
  /** Which certificates somebody asked to renew when. */
  readonly renewals: string[] = [];
  /** Differences between the order and the issued certificate. */
  issues: { subject?: string; request?: "another" } = {};
  readonly folder: string;
  readonly #server;
  readonly #nonces = new Set<string>();
  readonly #accounts = new Map<string, JsonWebKey>();
  readonly #orders = new Map<string, Order>();
  readonly #authorizations = new Map<string, { status: string; left: number; failed?: string }>();
  readonly #chains = new Map<string, string>();

  private constructor(folder: string) {
    this.folder = folder;
    const file = (name: string) => readFileSync(join(folder, name));
    this.ca = file("ca.pem").toString();
    this.#server = createServer({ key: file("server.key"), cert: file("server.pem") });
    this.#server.on("request", (request, response) => void this.#take(request, response));
  }

  /** @param folder with what `makeCertificates` makes; what it signs is put beside it */
  static async open(folder: string): Promise<FakeCa> {
    const ca = new FakeCa(folder);
    ca.#server.listen(0, "127.0.0.1");
    await once(ca.#server, "listening");
    return ca;
  }

  get origin(): string {
    return `https://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  get directory(): string {
    return `${this.origin}/directory`;
  }

  times(place: Place): number {
    return this.came.filter((request) => request.place === place).length;
  }

  payloads(place: Place): (Payload | undefined)[] {
    return this.came.filter((came) => came.place === place).map(({ payload }) => payload);
  }

  get accounts(): number {
    return this.#accounts.size;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("error", () => {});
    let text = "";
    for await (const part of request) text += part;
    const path = request.url ?? "";
    const [, place = "", id = ""] = path.split("/") as [string, Place, string];
    const isSigned = request.method === "POST";
    const { payload, account, wrong } = isSigned ? this.#opened(path, text) : {};
    const userAgent = request.headers["user-agent"];
    this.came.push({ place: place as Place, payload, userAgent });
    const fault = this.next[place as Place]?.shift() ?? this.always[place as Place];
    if (fault === "hang") return;
    // A fixed wrong answer means that the request was not carried out.
    const right = () => wrong ?? this.#answer(place as Place, id, payload, account);
    const answer = typeof fault === "function" ? fault(right()) : (fault ?? right());
    this.#send(response, answer);
  }

  #send(response: ServerResponse, { status = 200, headers = {}, body = "" }: Answer): void {
    const isText = typeof body === "string" || body instanceof Uint8Array;
    const nonce = randomUUID();
    this.#nonces.add(nonce);
    response.writeHead(status, {
      "replay-nonce": nonce,
      "content-type": status < 400 ? "application/json" : "application/problem+json",
      ...headers,
    });
    response.end(isText ? body : JSON.stringify(body));
  }

  /** RFC 8555 section 6. */
  #opened(path: string, text: string): { payload?: Payload; account?: string; wrong?: Answer } {
    const { protected: header, payload, signature } = JSON.parse(text) as Record<string, string>;
    const { alg, nonce, url, jwk, kid } = JSON.parse(decoded(header));
    if (!this.#nonces.delete(nonce)) return { wrong: problem("badNonce") };
    const key: JsonWebKey | undefined = jwk ?? this.#accounts.get(kid);
    const isRight =
      alg === "ES256" &&
      url === this.origin + path &&
      (jwk === undefined) !== (kid === undefined) &&
      key !== undefined &&
      verify(
        "sha256",
        Buffer.from(`${header}.${payload}`),
        { key: createPublicKey({ key, format: "jwk" }), dsaEncoding: "ieee-p1363" },
        Buffer.from(signature ?? "", "base64url"),
      );
    if (!isRight) return { wrong: problem("malformed") };
    const account = `${this.origin}/account/${createHash("sha256").update(JSON.stringify(key)).digest("hex")}`;
    if (jwk !== undefined) this.#accounts.set(account, jwk);
    return { account, ...(payload && { payload: JSON.parse(decoded(payload)) }) };
  }

  #answer(place: Place, id: string, payload?: Payload, account = ""): Answer {
    const { origin } = this;
    switch (place) {
      case "directory":
        return { body: this.#places() };
      case "nonce":
        return {};
      case "account":
        return payload?.termsOfServiceAgreed
          ? { status: 201, headers: { location: account }, body: { status: "valid" } }
          : problem("userActionRequired", 403);
      case "newOrder":
        return this.#place(payload ?? {});
      case "order":
        return { body: this.#shown(id) };
      case "authorization":
        return { body: this.#authorized(id, payload) };
      case "challenge":
        return this.#challenged(id);
      case "finalize":
        return this.#finalized(id, payload?.csr ?? "");
      case "certificate":
        return {
          headers: { "content-type": "application/pem-certificate-chain" },
          body: this.#chains.get(id) ?? "",
        };
      case "renewal":
        this.renewals.push(id);
        return {
          headers: { "retry-after": "21600" },
          body: { suggestedWindow: this.window, explanationURL: `${origin}/why` },
        };
    }
  }

  #places(): object {
    const { origin, meta } = this;
    return {
      newNonce: `${origin}/nonce`,
      newAccount: `${origin}/account`,
      newOrder: `${origin}/newOrder`,
      renewalInfo: `${origin}/renewal`,
      meta,
    };
  }

  #place({ identifiers }: Payload): Answer {
    const id = randomUUID();
    const [identifier = { type: "", value: "" }] = identifiers ?? [];
    const status = this.isKnown ? "valid" : "pending";
    this.#authorizations.set(id, { status, left: this.pending });
    this.#orders.set(id, { status: "pending", authorization: id, identifier });
    const headers = { location: `${this.origin}/order/${id}` };
    return { status: 201, headers, body: this.#shown(id) };
  }

  #shown(id: string): object {
    const order = this.#orders.get(id);
    if (order?.status === "pending" && this.#authorizations.get(id)?.status === "valid")
      order.status = "ready";
    return {
      ...order,
      authorizations: [`${this.origin}/authorization/${id}`],
      finalize: `${this.origin}/finalize/${id}`,
      ...(this.#chains.has(id) && { certificate: `${this.origin}/certificate/${id}` }),
    };
  }

  #authorized(id: string, payload?: Payload): object {
    const found = this.#authorizations.get(id) ?? { status: "invalid", left: 0 };
    if (payload?.status === "deactivated") this.isKnown = false;
    if (found.status === "answered" && found.left-- <= 0)
      found.status = found.failed === undefined ? "valid" : "invalid";
    const status = found.status === "answered" ? "pending" : found.status;
    const challenges = this.offered.map((type) => ({
      type,
      url: `${this.origin}/challenge/${id}-${type}`,
      token: "token-of-".padEnd(43, "x"),
      validationRecord: this.validationRecord,
      ...(found.failed === type && { error: this.failing[type] }),
    }));
    return { status, identifier: this.#orders.get(id)?.identifier, challenges };
  }

  #challenged(place: string): Answer {
    const [id, type = ""] = [place.slice(0, 36), place.slice(37)];
    const found = this.#authorizations.get(id);
    if (found?.status !== "pending") return problem("malformed");
    found.status = "answered";
    if (type in this.failing) found.failed = type;
    return { body: { status: "processing" } };
  }

  /** Openssl checks the request's own signature, and signs what was ordered. */
  #finalized(id: string, csr: string): Answer {
    const order = this.#orders.get(id);
    if (order?.status !== "ready") return problem("orderNotReady", 403);
    const at = (name: string) => join(this.folder, name);
    writeFileSync(at("request.der"), Buffer.from(csr, "base64url"));
    const { type, value } = order.identifier;
    const subject = this.issues.subject ?? `${type === "ip" ? "IP" : "DNS"}:${value}`;
    writeFileSync(at("order"), `subjectAltName=${subject}\nauthorityKeyIdentifier=keyid:always\n`);
    const asked = this.issues.request
      ? ["-in", "server.csr"]
      : ["-in", "request.der", "-inform", "DER"];
    const signer = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "45"];
    const leaf = execFileSync(
      "openssl",
      ["x509", "-req", ...asked, ...signer, "-extfile", "order"],
      {
        cwd: this.folder,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
    this.#chains.set(id, leaf + this.ca);
    order.status = "valid";
    return { body: this.#shown(id) };
  }
}

function decoded(base64url = ""): string {
  return Buffer.from(base64url, "base64url").toString();
}
