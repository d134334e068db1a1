import { useEffect, useState } from "preact/hooks";
import type { AllowedOrigin, OriginsAnswer } from "../../appliance/control/wire.ts";
import { ask } from "./api.ts";
import { useAction } from "./use-action.ts";

const PATH = "api/origins";

export interface AllowedOrigins {
  /** Those that keys may send requests to; null while they are not known yet. */
  list: readonly string[] | null;
  /** @throws {AskError} */
  allow(address: string): Promise<void>;
  /** @throws {AskError} */
  remove(origin: string): Promise<void>;
}

/** Where keys may send requests, and what changes it. */
export function useOrigins(): AllowedOrigins {
  const [list, setList] = useState<readonly string[] | null>(null);
  const { run } = useAction();
  const read = async () => setList((await ask<OriginsAnswer>("GET", PATH)).origins);
  useEffect(() => {
    void run(read);
  }, []);
  return {
    list,
    allow: async (address) => {
      await ask<AllowedOrigin>("POST", PATH, { origin: address.trim() });
      await read();
    },
    remove: async (origin) => {
      await ask("DELETE", `${PATH}?origin=${encodeURIComponent(origin)}`);
      await read();
    },
  };
}
