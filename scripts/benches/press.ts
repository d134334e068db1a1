import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { Part } from "../running/parts.ts";
import { median, percentile } from "../running/report.ts";
import { InstantDeck, KEYS, Owner, pause, startHere } from "./desk.ts";

const SINGLE_PRESSES = 200;
const ROUNDS = 20;
/** Longer than the tick is shown on a key, so that painting is part of the measurement. */
const PAUSE_MS = 60;

export const press: Part = {
  says: "From a key of a Stream Deck MK.2 to the request that it sends to a server here.",
  async run({ stage, report }) {
    const unit = new InstantDeck();
    /** The listener for the next request, by path. */
    const waiting = new Map<string, (at: number) => void>();
    const server = createServer((request, response) => {
      waiting.get(request.url ?? "")?.(performance.now());
      response.writeHead(204).end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    stage.onClose(() => {
      server.closeAllConnections();
      server.close();
    });
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const service = await stage.add(startHere(stage.folder(), { bus: unit }));
    const owner = new Owner(service.control.port);
    stage.onClose(() => owner.close());
    const cameAt = (path: string) => new Promise<number>((resolve) => waiting.set(path, resolve));
    const bareRequest = async (): Promise<number> => {
      const came = cameAt("/bare");
      const at = performance.now();
      request(`${origin}/bare`, { method: "POST", agent: false }, (answer) =>
        answer.resume(),
      ).end();
      return (await came) - at;
    };
    const press = (...keys: readonly number[]): Promise<number[]> => {
      const came = keys.map((key) => cameAt(`/k${key}`));
      const at = performance.now();
      unit.press(...keys);
      unit.press();
      return Promise.all(came.map(async (one) => (await one) - at));
    };

    await setUp(owner, unit, origin);
    const all = Array.from({ length: KEYS }, (_, key) => key);
    // The first request of a key loads code that later ones have.
    await press(...all);
    const single: number[] = [];
    // Bare requests alternate with presses. Where both are slow, the machine is.
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
    report.note(
      `median: ${median(single).toFixed(1)} ms; of 15 keys at once ${median(together).toFixed(1)} ms; ` +
        `of a bare request in turns with it ${median(bare).toFixed(1)} ms, p99 ${percentile(bare, 0.99).toFixed(1)} ms`,
    );
    report.atMost("press to request, p99", percentile(single, 0.99), "ms", 10);
  },
};

async function setUp(owner: Owner, unit: InstantDeck, origin: string): Promise<void> {
  const deck = encodeURIComponent(await owner.deckOf(unit));
  await owner.call("POST", "/api/origins", { origin });
  for (let key = 0; key < KEYS; key++)
    await owner.call("PUT", `/api/decks/${deck}/slots/k${key}`, {
      widget: { type: "text", text: `Key ${key}` },
      press: { do: "request", method: "POST", url: `${origin}/{{slot}}`, body: "{{deck}}" },
    });
}
