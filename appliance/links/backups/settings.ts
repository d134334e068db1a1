export interface WebdavSettings {
  /** `https:` or `http:`; empty until one is given. */
  readonly url: string;
  /** Empty where the password is a token. */
  readonly user: string;
  readonly password: string;
  /** Certificates (PEM) of who signs the server's; empty for those that the system trusts. */
  readonly ca: string;
}

export interface BackupSettings {
  /** Whether backups go to a USB stick that is plugged in. */
  readonly stick: boolean;
  readonly webdav: WebdavSettings;
}

export const FIRST_BACKUP_SETTINGS: BackupSettings = {
  stick: true,
  webdav: { url: "", user: "", password: "", ca: "" },
};
