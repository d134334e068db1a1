import { useEffect, useState } from "preact/hooks";
import type { AllowedOrigin, OriginsAnswer } from "../../appliance/control/wire.ts";
import { ask } from "./api.ts";
import { useAction } from "./use-action.ts";

const PATH = "api/origins";

interface AllowedOrigins {
  /** Those that keys may send requests to; none while they are not known yet. */
  origins: readonly string[];
  /** @throws {AskError} */
  allow(address: string): Promise<void>;
  /** @throws {AskError} */
  remove(origin: string): Promise<void>;
}

/** Where keys may send requests, and what changes it. */
export function useOrigins(): AllowedOrigins {
  const [origins, setOrigins] = useState<readonly string[] | null>(null);
  const { run } = useAction();
  const read = async () => setOrigins((await ask<OriginsAnswer>("GET", PATH)).origins);
  useEffect(() => {
    void run(read);
  }, []);
  return {
    origins: origins ?? [],
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
