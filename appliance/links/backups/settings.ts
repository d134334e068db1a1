import { type Having, TEXT } from "../../base/input/schema.ts";

export const WEBDAV_FIELDS = {
  /** `https:` or `http:`; empty until one is given. */
  url: TEXT,
  /** Empty where the password is a token. */
  user: TEXT,
  password: TEXT,
  /** Certificates (PEM) of who signs the server's; empty for those that the system trusts. */
  ca: TEXT,
};
export type WebdavSettings = Having<typeof WEBDAV_FIELDS>;

export interface BackupSettings {
  /** Whether backups go to a USB stick that is plugged in. */
  readonly stick: boolean;
  readonly webdav: WebdavSettings;
}

export const FIRST_BACKUP_SETTINGS: BackupSettings = {
  stick: true,
  webdav: { url: "", user: "", password: "", ca: "" },
};
