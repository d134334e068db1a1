import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { silentLog } from "../../appliance/base/log.ts";
import { readConfig } from "../../appliance/config.ts";
import { startService } from "../../appliance/service/service.ts";
import { SystemClock } from "../../appliance/system/system-clock.ts";
import { InstantDeck, KEYS, Owner, pause } from "./desk.ts";

const SINGLE_PRESSES = 200;
const ROUNDS = 20;
/** Longer than a tick shows, so that what is painted is part of what is measured. */
const PAUSE_MS = 60;

interface PressFigures {
  /** Milliseconds from the report of a key to the request at the server. */
  readonly single: readonly number[];
  /** A request that nothing comes before, in turns with it: what takes both long is the machine. */
  readonly bare: readonly number[];
  /** The first when all keys go down at once. */
  readonly together: readonly number[];
}

/** Presses keys of a Stream Deck MK.2, each of which sends a request to a server here. */
export async function measurePress(dataDir: string): Promise<PressFigures> {
  const unit = new InstantDeck();
  /** What is to be told when the request of a key comes. */
  const waiting = new Map<string, (at: number) => void>();
  const server = createServer((request, response) => {
    waiting.get(request.url ?? "")?.(performance.now());
    response.writeHead(204).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const service = await startService({
    config: readConfig({
      flags: { PORT: "0", WEBUI_PORT: "0", DATA_DIR: dataDir },
      env: {},
    }),
    clock: new SystemClock(),
    log: silentLog(),
    bus: unit,
  });
  const owner = new Owner(service);
  const bareRequest = (): Promise<number> => {
    const came = new Promise<number>((resolve) => waiting.set("/bare", resolve));
    const at = performance.now();
    request(`${origin}/bare`, { method: "POST", agent: false }, (answer) => answer.resume()).end();
    return came.then((then) => then - at);
  };
  const press = (...keys: readonly number[]): Promise<number[]> => {
    const came = keys.map(
      (key) => new Promise<number>((resolve) => waiting.set(`/k${key}`, resolve)),
    );
    const at = performance.now();
    unit.press(...keys);
    unit.press();
    return Promise.all(came.map(async (one) => (await one) - at));
  };
  try {
    await setUp(owner, unit, origin);
    const all = Array.from({ length: KEYS }, (_, key) => key);
    // What is loaded with the first request is no part of the next.
    await press(...all);
    const single: number[] = [];
    const bare: number[] = [];
    for (let i = 0; i < SINGLE_PRESSES; i++) {
      await pause(PAUSE_MS);
      single.push(...(await press(i % KEYS)));
      await pause(PAUSE_MS);
      bare.push(await bareRequest());
    }
    const together: number[] = [];
    for (let i = 0; i < ROUNDS; i++) {
      await pause(PAUSE_MS);
      together.push(...(await press(...all)));
    }
    return { single, bare, together };
  } finally {
    owner.close();
    await service.close();
    server.closeAllConnections();
    server.close();
  }
}

async function setUp(owner: Owner, unit: InstantDeck, origin: string): Promise<void> {
  const deck = encodeURIComponent(await owner.deckOf(unit));
  await owner.call("POST", "/api/origins", { origin });
  for (let key = 0; key < KEYS; key++)
    await owner.call("PUT", `/api/decks/${deck}/slots/k${key}`, {
      widget: { type: "text", text: `Key ${key}` },
      press: { do: "request", method: "POST", url: `${origin}/{{slot}}`, body: "{{deck}}" },
    });
}
