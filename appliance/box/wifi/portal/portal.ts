import type { FormAnswer, FormRequest } from "../../../base/http/form-server.ts";
import {
  isNetworkName,
  isNetworkPassword,
  keptPassword,
  MOST_NAME_BYTES,
  PASSWORD_RULE,
} from "../../ipc/wifi-rules.ts";
import { SET_UP_ADDRESS, SET_UP_URL } from "../../ipc/wifi-state.ts";
import { networkNameText } from "../../ipc/wifi-text.ts";
import type { JoinRequest } from "../radio.ts";
import { proposedCountry } from "./country.ts";
import {
  choiceOf,
  type FormContent,
  formPage,
  lastPage,
  lookingPage,
  refusalPage,
} from "./page.ts";
import { goodAnswer } from "./probes.ts";

/** A request to the portal; its form has at most `MOST_FORM_BYTES`. */
export type PortalRequest = Pick<
  FormRequest,
  "method" | "host" | "path" | "languages" | "from" | "body"
>;

/** The fields of a form but its password. */
type Given = Pick<FormContent, "country" | "choice" | "typed" | "isHidden">;

/** Files for root's program: an accepted form, and a request for a new scan. */
export const SENT = { form: "form.json", again: "again" } as const;

export const MOST_FORM_BYTES = 4_096;

/** The content of the pages, from root's program, in a file of JSON. */
export interface PortalContent
  extends Pick<FormContent, "token" | "networks" | "countries" | "country" | "trouble"> {
  /** The fields of the last form, without its password; null before one. */
  readonly given: Given | null;
}

interface PortalOptions {
  readonly content: PortalContent;
  join(wish: JoinRequest): void;
  lookAgain(): void;
}

/**
 * The only pages on the set-up network. It knows Wi-Fi, and nothing else of the box. A phone that has sent its form gets
 * the good answers to its probes until the network ends; the forms of others are turned away.
 */
export class Portal {
  readonly #options: PortalOptions;
  /** The phone whose form was taken, and the name of its network. */
  #sent: { from: string; network: string } | undefined;
  /** The fields that a phone gave last, without its password. */
  #given: Given | undefined;

  constructor(options: PortalOptions) {
    this.#options = options;
    this.#given = options.content.given ?? undefined;
  }

  answer(request: PortalRequest): FormAnswer {
    const { method, from } = request;
    const path = request.path.replace(/[?#].*$/s, "");
    const isOurs = /^192\.0\.2\.1(?::80)?$/.test(request.host);
    const hasSent = this.#sent?.from === from;
    if (method === "GET" || method === "HEAD") {
      if (isOurs && path === "/") return this.#form(request, hasSent);
      const good = hasSent && !isOurs ? goodAnswer(path) : undefined;
      if (good !== undefined) return plain(good.status, good.type, good.body);
      return isOurs && path === "/favicon.ico" ? plain(404, "text/plain", "") : TO_THE_FORM;
    }
    if (method !== "POST" || !isOurs) return TO_THE_FORM;
    if (path === "/again") return this.#again(request);
    return path === "/" ? this.#take(request) : TO_THE_FORM;
  }

  #form({ languages }: PortalRequest, hasSent: boolean): FormAnswer {
    if (hasSent) return html(200, lastPage(this.#sent?.network ?? ""));
    return html(200, formPage(this.#content(languages, "")));
  }

  #content(languages: string, problem: string): FormContent {
    const { token, countries, country, networks, trouble } = this.#options.content;
    const given = this.#given;
    return {
      token,
      networks,
      countries,
      country: given?.country || country || proposedCountry(languages, countries),
      choice: given?.choice ?? "",
      typed: given?.typed ?? "",
      isHidden: given?.isHidden ?? false,
      trouble: problem || trouble,
    };
  }

  #take({ body, languages, from }: PortalRequest): FormAnswer {
    if (this.#sent !== undefined) {
      if (this.#sent.from === from) return html(200, lastPage(this.#sent.network));
      return html(409, refusalPage("Another phone has just sent its form. This network ends now."));
    }
    const fields = new URLSearchParams(body);
    const field = (name: string) => fields.get(name) ?? "";
    if (field("token") !== this.#options.content.token)
      return html(400, refusalPage("This form is of an earlier set-up. Fill it in once more."));
    this.#given = {
      country: this.#options.content.countries.includes(field("country")) ? field("country") : "",
      choice: field("network").slice(0, 80),
      typed: field("typed").slice(0, 64),
      isHidden: fields.has("hidden"),
    };
    const wish = this.#wishOf(this.#given, field("password"));
    if (typeof wish === "string") return html(400, formPage(this.#content(languages, wish)));
    const network = networkNameText(Buffer.from(wish.ssid, "hex"));
    this.#sent = { from, network };
    this.#options.join(wish);
    return html(200, lastPage(network));
  }

  /** The network to join, or a sentence about what is missing. */
  #wishOf({ country, choice, typed, isHidden }: Given, password: string): JoinRequest | string {
    if (country === "") return "Choose the country, which says on which channels the box may send.";
    const isOther = choice === "other";
    const seen = this.#options.content.networks.find((network) => choiceOf(network) === choice);
    if (!isOther && seen === undefined) return "Choose a network.";
    const bytes = isOther ? Buffer.from(typed) : Buffer.from(seen?.ssid ?? "", "hex");
    if (bytes.length === 0) return "Type the name of the network.";
    if (isOther && !isNetworkName(typed))
      return `A network's name has at most ${MOST_NAME_BYTES} bytes, and no invisible signs.`;
    const isOpen = isOther ? password === "" : seen?.isOpen === true;
    if (!isOpen && !isNetworkPassword(password)) return `The password must be ${PASSWORD_RULE}.`;
    return {
      ssid: bytes.toString("hex"),
      password: isOpen ? "" : keptPassword(password),
      country,
      isHidden: isOther && isHidden,
    };
  }

  #again({ body }: PortalRequest): FormAnswer {
    if (
      this.#sent !== undefined ||
      new URLSearchParams(body).get("token") !== this.#options.content.token
    )
      return TO_THE_FORM;
    this.#options.lookAgain();
    return html(200, lookingPage());
  }
}

const HEADERS = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
};

/** Any other address leads here, so that phones find the form by themselves. */
const TO_THE_FORM: FormAnswer = {
  status: 302,
  headers: { ...HEADERS, Location: SET_UP_URL },
  body: "",
};

function html(status: number, body: string): FormAnswer {
  const answer = plain(status, "text/html; charset=utf-8", body);
  const policy = `default-src 'none'; style-src 'unsafe-inline'; form-action http://${SET_UP_ADDRESS}; base-uri 'none'; frame-ancestors 'none'`;
  return { ...answer, headers: { ...answer.headers, "Content-Security-Policy": policy } };
}

function plain(status: number, type: string, body: string): FormAnswer {
  return { status, headers: { ...HEADERS, ...(type !== "" && { "Content-Type": type }) }, body };
}
