import { useEffect, useState } from "preact/hooks";
import type { AllowedOrigin, OriginsAnswer } from "../../appliance/control/wire.ts";
import { ask } from "./api.ts";
import { useAction } from "./use-action.ts";

const PATH = "api/origins";

export interface AllowedOrigins {
  /** The allowed origins; null until the box has sent them. */
  list: readonly string[] | null;
  /** @throws {AskError} */
  allow(address: string): Promise<void>;
  /** @throws {AskError} */
  remove(origin: string): Promise<void>;
}

/** The origins that keys may send requests to, with functions to change them. */
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
