import { type Dialect, NO_ACCOUNTS, NOTHING_RUNS } from "../reading.ts";

const REMOVE = "and remove this file, in which a password may be";

/** Files of other systems that people may put here, with advice. */
export const NOT_READ: ReadonlyMap<string, Dialect> = new Map([
  [
    "wpa_supplicant.conf",
    notRead(`write the network into tallydeck.env as WIFI_SSID and WIFI_PASSWORD, ${REMOVE}`),
  ],
  ["ssh", notRead("to switch ssh on, write your key into tallydeck.env as SSH_KEY")],
  ["ssh.txt", notRead("to switch ssh on, write your key into tallydeck.env as SSH_KEY")],
  ["userconf", notRead(`${NO_ACCOUNTS}, ${REMOVE}`)],
  ["userconf.txt", notRead(`${NO_ACCOUNTS}, ${REMOVE}`)],
  ["firstrun.sh", notRead(`${NOTHING_RUNS}; write what it sets into tallydeck.env, ${REMOVE}`)],
  ["custom.toml", notRead(`write what it sets into tallydeck.env, ${REMOVE}`)],
]);

function notRead(instead: string): Dialect {
  return (text, found) => {
    found.ignore("the file", `is not read: ${instead}`);
    return text;
  };
}
