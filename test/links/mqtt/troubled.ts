import type { MqttAnswer } from "../../../appliance/control/wire.ts";
import { Mosquitto } from "../../helpers/mosquitto.ts";
import { Owner } from "../../helpers/owner.ts";
import { World } from "../../helpers/world.ts";

type State = NonNullable<MqttAnswer["state"]>;

/** Boxes at brokers that are not as they should be; gone after each test of the suite around it. */
export function eachTroubled() {
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  /** Lets time pass until the state is one that `fits`. */
  const stateOf = async (owner: Owner, fits: (state: State) => boolean): Promise<State> => {
    for (;;) {
      const { state } = await owner.get("/api/mqtt");
      if (fits(state)) return state;
      owner.world.clock.advance(1_000);
    }
  };
  return {
    /** Has this ended after the test. */
    ending<T extends { end(): Promise<void> }>(part: T): T {
      ends.push(() => part.end());
      return part;
    },
    async brokerOf(options: Parameters<typeof Mosquitto.open>[0]) {
      return this.ending(await Mosquitto.open(options));
    },
    async boxWith(env: Record<string, string>) {
      const world = this.ending(new World({ env }));
      await world.start();
      return new Owner(world);
    },
    stateOf,
    /** The reason that there is no connection; lets time pass until it is known. */
    async problemOf(owner: Owner): Promise<string> {
      const state = await stateOf(
        owner,
        (each) => !each.connected && typeof each.problem === "string",
      );
      return (!state.connected && state.problem) || "";
    },
    /** Sentences about missing rights. Time passes until there are so many. */
    async notAllowed(owner: Owner, count: number): Promise<readonly string[]> {
      const state = await stateOf(
        owner,
        (each) => each.connected && each.problems.length === count,
      );
      return state.connected ? state.problems : [];
    },
  };
}

export const isConnected = ({ connected }: State): boolean => connected;
