import { documentKind, FLAG, objectOf } from "../../base/documents.ts";
import { invalidField } from "../../base/refusal.ts";
import { readCa } from "../../base/system/certificates.ts";
import { type BackupSettings, FIRST_BACKUP_SETTINGS, WEBDAV_FIELDS } from "./settings.ts";

export const BACKUP_SETTINGS = documentKind<BackupSettings>(
  "backup_settings",
  objectOf({}, { stick: FLAG, webdav: objectOf({}, WEBDAV_FIELDS) }),
  { bound: { count: 1, bytes: 65_536, together: 65_536 }, inBackup: "own" },
);

const LONGEST = 256;
const LONGEST_URL = 1_024;

/**
 * Settings as a person gave them, in the form in which they are kept. An empty address takes the server away.
 * @throws {Refusal} `invalid_field`
 */
export function checkBackupSettings({ stick, webdav }: BackupSettings): BackupSettings {
  const url = webdav.url.trim();
  if (url === "") return { ...FIRST_BACKUP_SETTINGS, stick };
  for (const field of ["user", "password"] as const)
    if (webdav[field].length > LONGEST || /\p{Cc}/u.test(webdav[field]))
      throw invalidField(field, `must have at most ${LONGEST} characters, in one line.`);
  if (webdav.user.includes(":")) throw invalidField("user", "must have no colon.");
  if (webdav.user !== "" && webdav.password === "")
    throw invalidField("password", "is missing: it goes with a user.");
  const ca = readCa(webdav.ca);
  return { stick, webdav: { ...webdav, url: folderUrl(url), ca } };
}

/** @throws {Refusal} `invalid_field` */
function folderUrl(text: string): string {
  const rule =
    "must be the address of a folder like https://cloud.example.org/remote.php/dav/files/me/Tallydeck, without a user and a question mark.";
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  const isFolder =
    parsed !== undefined &&
    /^https?:$/.test(parsed.protocol) &&
    parsed.username + parsed.password + parsed.search + parsed.hash === "" &&
    text.length <= LONGEST_URL;
  if (!isFolder) throw invalidField("url", rule);
  return parsed.href;
}
