import { accessSync, constants, statSync } from "node:fs";

/**
 * Takes the rights of a folder's owner, where this is root's program and the folder another user's: that user may put
 * links into it, along which root would write elsewhere, and what is made there has to be the user's own.
 * @returns a function that takes root's rights back
 */
export function actAsOwnerOf(folder: string): () => void {
  const { geteuid, getegid, getgroups, setgroups, setegid, seteuid } = process;
  const found = statSync(folder, { throwIfNoEntry: false });
  const isNeeded = geteuid?.() === 0 && found !== undefined && found.uid !== 0;
  if (!isNeeded || !getegid || !getgroups || !setgroups || !setegid || !seteuid) return () => {};
  const [group, groups] = [getegid(), getgroups()];
  const back = () => {
    seteuid(0);
    setegid(group);
    setgroups(groups);
  };
  setgroups([found.gid]);
  setegid(found.gid);
  seteuid(found.uid);
  try {
    // Modules that are loaded later have to be readable.
    accessSync(import.meta.filename, constants.R_OK);
    return back;
  } catch {
    back();
    return () => {};
  }
}

/** Does one thing with the rights of a folder's owner. */
export function asOwnerOf<T>(folder: string, work: () => T): T {
  const back = actAsOwnerOf(folder);
  try {
    return work();
  } finally {
    back();
  }
}
