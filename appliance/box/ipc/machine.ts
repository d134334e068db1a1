/** The request of the service about the machine's own settings, by the name of its file: root watches for it. */
export const ASKED_MACHINE = "change.json";
/** Root's word on them, in the folder above. */
export const MACHINE_STATE = "state.json";

/** An ssh key that opens the machine, as far as people tell keys apart. */
export interface KeyName {
  /** The last characters of the key itself. */
  id: string;
  /** `ssh-ed25519` */
  type: string;
  comment: string;
}

/** The machine's own settings, from root for the service. */
export interface MachineSettings {
  hostname: string;
  timezone: string;
  keys: KeyName[];
  /** The values before the last change; `key` is the line of the one that was removed last. */
  before: { hostname?: string; timezone?: string; key?: string };
  /** A sentence about a change that was refused. */
  problem?: string;
}

/** A change of some of them. */
export interface MachineChange {
  hostname?: string;
  timezone?: string;
  /** The line of a public key. */
  addKey?: string;
  /** The id of a key that opens the machine no more. */
  removeKey?: string;
}
