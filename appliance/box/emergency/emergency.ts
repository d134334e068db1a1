import type { Clock } from "../../base/clock.ts";
import type { FormAnswer, FormRequest } from "../../base/http/form-server.ts";
import { isOwnHost, ownNames } from "../../base/http/own-host.ts";
import { resetText } from "../../base/text/reset.ts";
import type { Network } from "../box-notices.ts";
import type { Reset } from "../reset.ts";
import type { SetupCode } from "../setup-code.ts";
import type { Known } from "./known.ts";
import { countingPage, ownerPage, soonPage, visitorPage, WAYS_OUT, type WayOut } from "./page.ts";

interface EmergencyOptions {
  readonly clock: Pick<Clock, "after">;
  readonly code: Pick<SetupCode, "shown" | "use">;
  readonly reset: Pick<Reset, "begin" | "callOff" | "seconds">;
  readonly network: Network;
  /** The name of the machine where its network has none for it. */
  readonly hostname: string;
  /** Ties a form without a code to this start of the program. */
  readonly token: string;
  readonly known: () => Known;
  readonly log: () => readonly string[];
  /** Asks root for the other system; rejects where root cannot be told. */
  readonly askForOther: () => Promise<void>;
  /** Ends this program, after which systemd tries the service. */
  readonly end: () => void;
}

/** The service is tried again by itself. */
const TRY_AGAIN_MS = 10 * 60_000;
/** Time in which the answer to the wish leaves. */
const LEAVE_MS = 1_000;
/** The Web UI's port. */
const PORT = 3_000;
/** The way to stop a reset here, which no deck is. */
const STOP = `open its address at port ${PORT}`;

/** Answers in place of a service that cannot start, and knows the ways out. */
export class Emergency {
  readonly #options: EmergencyOptions;
  /** A sentence about a wish that could not be passed on. */
  #trouble = "";

  constructor(options: EmergencyOptions) {
    this.#options = options;
    this.#tryLater();
  }

  /** An answer at the collector's port, which the internet may reach. */
  answerVisitor(request: FormRequest): FormAnswer {
    return wantsPage(request) ? html(503, visitorPage()) : json();
  }

  /** An answer at the Web UI's port. */
  answerOwner(request: FormRequest): FormAnswer {
    const { method } = request;
    const path = request.path.replace(/[?#].*$/s, "");
    if (!this.#isAsked(request)) return this.#owner(403, NOT_OURS);
    if (method === "POST" && path === "/") return this.#take(request);
    return wantsPage(request) ? this.#look() : json();
  }

  /** The text of a screen of 80×25 characters for a person before the box. */
  screenText(): string {
    const { reset, network, code, known } = this.#options;
    if (reset.seconds !== null) return resetText(reset.seconds, STOP);
    const [address, name] = [addressOf(network), network.name()];
    return [
      "Tallydeck cannot start.",
      known().why,
      "It is tried again by itself every ten minutes.",
      "",
      ...(address === undefined
        ? ["Tallydeck has no network: plug in a cable, and open its address to see the ways out."]
        : [`The ways out are at http://${address}:${PORT}/`]),
      ...(address === undefined || name === undefined ? [] : [`and at http://${name}:${PORT}/`]),
      ...(code.shown === undefined ? [] : [`Setup code ${code.shown}`]),
    ].join("\n");
  }

  #tryLater(): void {
    const { clock, reset, end } = this.#options;
    clock.after(TRY_AGAIN_MS, () => {
      // A reset ends with a restart of the box.
      if (reset.seconds === null) end();
      else this.#tryLater();
    });
  }

  #look(): FormAnswer {
    const { reset, token } = this.#options;
    if (reset.seconds === 0)
      return html(503, soonPage("Back to the beginning", resetText(0, STOP)), 30);
    if (reset.seconds !== null)
      return html(503, countingPage(resetText(reset.seconds, STOP), token), 2);
    return this.#owner(503, this.#trouble);
  }

  #owner(status: number, trouble: string, log?: readonly string[]): FormAnswer {
    return html(
      status,
      ownerPage({ known: this.#options.known(), name: this.#name, trouble, log }),
    );
  }

  get #name(): string {
    const { network, hostname } = this.#options;
    return (network.name() ?? hostname).replace(/\.local$/, "");
  }

  /** Whether a request names this box: a page of elsewhere could ask by a name of its own. */
  #isAsked({ host }: FormRequest): boolean {
    const { hostname, network } = this.#options;
    const url = /^[\w.:[\]-]+$/.test(host) ? URL.parse(`http://${host}`) : null;
    return url !== null && isOwnHost(url.hostname, ownNames(hostname, network.name()));
  }

  #take({ body, from, host, origin }: FormRequest): FormAnswer {
    const { code, reset, token } = this.#options;
    // A page of elsewhere that a browser of the own network has open.
    if (origin !== "" && origin !== `http://${host}`)
      return this.#owner(403, "This form was sent by another page. Fill it in here.");
    const fields = new URLSearchParams(body);
    if (fields.get("do") === "stop" && fields.get("token") === token) {
      reset.callOff();
      return SEE_START;
    }
    const wish = WAYS_OUT.find((each) => each === fields.get("do"));
    if (wish === undefined) return this.#owner(400, "Press one of the buttons.");
    const refused = this.#whyNot(wish, fields.get("name") ?? "");
    if (refused !== undefined) return this.#owner(409, refused);
    const outcome = code.use((fields.get("code") ?? "").trim(), from);
    if (outcome.kind === "refused")
      return this.#owner(
        429,
        "Too many wrong codes were tried. Within ten minutes the deck and the screen show another code: use that one.",
      );
    if (outcome.kind === "wrong")
      return this.#owner(
        401,
        "This is not the code. It stands on the deck and the screen, and changes after each use.",
      );
    return this.#do(wish);
  }

  /** A sentence about a wish that cannot be granted, before the code is used up. */
  #whyNot(wish: WayOut, typed: string): string | undefined {
    const { known, reset } = this.#options;
    if (wish === "log") return undefined;
    if (reset.seconds !== null)
      return "The box is about to erase its data. Look at the page again.";
    if (wish === "other" && known().other === undefined)
      return "There is no other system on this card to go to now.";
    if (wish !== "erase") return undefined;
    if (typed !== this.#name)
      return `This machine is called ${this.#name}. Type its name to erase it.`;
    return known().isUpdating
      ? "An update is being written or tried. Wait until it is done, then try again."
      : undefined;
  }

  #do(wish: WayOut): FormAnswer {
    const { clock, reset, askForOther, end, log } = this.#options;
    this.#trouble = "";
    if (wish === "log") return this.#owner(200, "", log());
    if (wish === "erase") {
      reset.begin();
      return SEE_START;
    }
    if (wish === "try") {
      clock.after(LEAVE_MS, end);
      return html(200, soonPage("Tallydeck is starting.", "This takes up to two minutes."), 15);
    }
    askForOther().catch((error: unknown) => {
      this.#trouble = `The other system could not be asked for (${String(error)}). Pull the plug, put it in again, and try once more.`;
    });
    return html(
      200,
      soonPage(
        "The other system",
        "The box restarts into it within a minute. If it cannot, this page says why.",
      ),
      15,
    );
  }
}

const NOT_OURS =
  "This machine does not go by that name. Open it by its IP address, or by its own name.";

/** The first address by which others reach the box; undefined also where the system cannot list them. */
function addressOf(network: Network): string | undefined {
  try {
    return network.addresses()[0];
  } catch {
    return undefined;
  }
}

/** A browser that shows a page names HTML; programs accept anything, or JSON. */
function wantsPage({ method, path, accept }: FormRequest): boolean {
  const isRead = method === "GET" || method === "HEAD";
  return isRead && !path.startsWith("/api/") && accept.includes("text/html");
}

const HEADERS = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  // With none at all, browsers tell no origin of a form, of this page neither.
  "Referrer-Policy": "same-origin",
  "Content-Security-Policy":
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
};

/** After a form, so that loading the page again sends nothing. */
const SEE_START: FormAnswer = { status: 303, headers: { ...HEADERS, Location: "/" }, body: "" };

/** @param refresh seconds until the browser looks again */
function html(status: number, body: string, refresh?: number): FormAnswer {
  return answer(status, "text/html", body, {
    ...(status === 503 && { "Retry-After": "60" }),
    ...(refresh !== undefined && { Refresh: `${refresh}; url=/` }),
  });
}

function json(): FormAnswer {
  const error = "Tallydeck cannot start on this machine. Its owner finds out more in the Web UI.";
  const body = JSON.stringify({ error, code: "cannot_start" });
  const more = { "Access-Control-Allow-Origin": "*", "Retry-After": "60" };
  return answer(503, "application/json", body, more);
}

function answer(
  status: number,
  type: string,
  body: string,
  more: Readonly<Record<string, string>>,
): FormAnswer {
  const headers = { ...HEADERS, "Content-Type": `${type}; charset=utf-8`, ...more };
  return { status, headers, body };
}
