import { useCallback, useEffect, useState } from "preact/hooks";
import { messageOf } from "../../appliance/base/message-of.ts";
import { isSessionToken, isShareToken } from "../../appliance/base/tokens.ts";
import type { SessionAnswer } from "../../appliance/traffic/collector/wire.ts";
import { ReadError, readJson } from "../shared/api.ts";
import { forgetForTab, forgetToken, keepForTab, loadToken } from "../shared/token.ts";

/** The token that opens the page, and how that stands. */
interface Entry {
  token: string;
  /** a code is being redeemed */
  isArriving: boolean;
  /** why the link or code that led here opens nothing; empty where there is nothing to say */
  said: string;
}

interface EntryActions {
  /** Takes a typed token, which is unchecked. */
  typed(token: string): void;
  /** The collector refused the token. */
  refused(): void;
  signOut(): void;
}

const CODE_USED =
  "That link was good once and for a minute. Open the dashboard from the Web UI again, or type a token.";
const SESSION_ENDED =
  "You came from the Web UI, and that has ended, or there is no such site any more. Open the dashboard from there again, or type a token.";
export const SHARE_ENDED =
  "This link does not open the site any more. Ask who gave it to you for a new one.";

/** The token, which was typed once, or came with a link. */
export function useToken(): [Entry, EntryActions] {
  const [brought] = useState(takeSecret);
  const [entry, setEntry] = useState<Entry>(() => ({
    token: loadToken(),
    isArriving: brought !== "",
    said: "",
  }));
  const [actions] = useState(() => actionsOn(setEntry));

  const arrive = useCallback((secret: string) => {
    void tokenFor(secret).then(setEntry);
  }, []);
  useEffect(() => {
    if (brought !== "") arrive(brought);
    // A link that is pasted over this page's address does not reload the page.
    const look = () => {
      const secret = takeSecret();
      if (secret !== "") arrive(secret);
    };
    addEventListener("hashchange", look);
    return () => removeEventListener("hashchange", look);
  }, []);

  return [entry, actions];
}

function actionsOn(setEntry: (change: (entry: Entry) => Entry) => void): EntryActions {
  return {
    typed: (token) => setEntry(() => ({ token, isArriving: false, said: "" })),
    refused: () =>
      setEntry((entry) => {
        const isShare = isShareToken(entry.token);
        if (!isShare && !isSessionToken(entry.token)) return entry;
        const token = forgetForTab();
        const said = isShare ? SHARE_ENDED : SESSION_ENDED;
        return { token: isShare ? "" : token, isArriving: false, said };
      }),
    signOut: () => {
      forgetToken();
      setEntry(() => ({ token: "", isArriving: false, said: "" }));
    },
  };
}

/** Reads the fragment of the address, and removes it from there at once. */
function takeSecret(): string {
  const params = new URLSearchParams(location.hash.slice(1));
  const secret = params.get("code") ?? params.get("share") ?? "";
  if (secret !== "") history.replaceState(history.state, "", location.pathname + location.search);
  return secret;
}

/** The token of a secret in a link: that of a share link, or one for a code. */
async function tokenFor(secret: string): Promise<Entry> {
  const here = (token: string): Entry => {
    keepForTab(token);
    return { token, isArriving: false, said: "" };
  };
  if (isShareToken(secret)) return here(secret);
  try {
    const answer = await readJson<SessionAnswer>("session", {}, secret, { method: "POST" });
    if (!answer.unchanged) return here(answer.body.token);
  } catch (error) {
    const isUsed = error instanceof ReadError && error.kind === "unauthorized";
    const said = isUsed ? CODE_USED : messageOf(error);
    // A token from before makes the code needless.
    return { token: loadToken(), isArriving: false, said };
  }
  return { token: loadToken(), isArriving: false, said: CODE_USED };
}
