import { useEffect, useState } from "preact/hooks";
import { ask } from "../api.ts";
import { useAction } from "../use-action.ts";

/** A setting of a site, as the machine keeps it; null until it is read. */
export function useSetting<Body>(path: string) {
  const action = useAction();
  const [kept, keep] = useState<Body | null>(null);
  const read = async () => keep(await ask<Body>("GET", path));
  /** Without the care that `save` takes of a failure. */
  const write = async (body: object) => keep(await ask<Body>("PUT", path, body));
  useEffect(() => void action.run(read), [path]);
  return { ...action, kept, read, write, save: (body: object) => action.run(() => write(body)) };
}
