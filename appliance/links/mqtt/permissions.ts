/** A tree of topics that the box has to read and write. */
export interface Need {
  /** The filter of the topics. */
  readonly tree: string;
  /** A topic of the tree that we publish at each connection, and subscribe to. */
  readonly echo: string;
}

/**
 * The rights that a broker grants the box. Some brokers report refusals; others confirm everything and pass nothing on,
 * so that only a missing echo shows it.
 */
export class Permissions {
  readonly #needs: readonly Need[];
  readonly #who: string;
  /** Trees at which something was refused. */
  readonly #refused = { write: new Set<string>(), listen: new Set<string>() };
  readonly #heard = new Set<string>();
  #isOverdue = false;

  /** @param user as which the box signs in; empty where it does not */
  constructor(needs: readonly Need[], user: string) {
    this.#needs = needs;
    this.#who = user === "" ? "this machine, which signs in without a user," : `the user "${user}"`;
  }

  get filters(): string[] {
    return this.#needs.map(({ echo }) => echo);
  }

  /** Whether all echoes have come. */
  get isSure(): boolean {
    return this.#heard.size === this.#needs.length;
  }

  refused(what: "write" | "listen", topics: readonly string[]): void {
    for (const { tree } of this.#needs)
      if (topics.some((topic) => topic.startsWith(tree.slice(0, -1))))
        this.#refused[what].add(tree);
  }

  /** @param retain whether it is a retained message, which may be of another sender */
  heard({ topic, retain }: { topic: string; retain: boolean }): void {
    const need = this.#needs.find(({ echo }) => echo === topic);
    if (need && !retain) this.#heard.add(need.tree);
  }

  /** Takes missing echoes as refusals, since the time for them is over. */
  expire(): void {
    this.#isOverdue = true;
  }

  /** The rights to be granted, in sentences. */
  get problems(): string[] {
    return this.#needs.flatMap(({ tree }) => {
      const isHeard = this.#heard.has(tree);
      const allow = `Allow ${this.#who} to read and write ${tree} at the broker.`;
      if (this.#refused.write.has(tree))
        return [`The broker refuses what the machine writes to ${tree}. ${allow}`];
      if (this.#refused.listen.has(tree))
        return [`The broker does not let the machine listen to ${tree}. ${allow}`];
      if (this.#isOverdue && !isHeard)
        return [`What the machine writes to ${tree} does not come back from the broker. ${allow}`];
      return [];
    });
  }

  /** The same for a broker that ended the connection before all echoes had come. */
  get endedEarly(): string {
    const trees = this.#needs.map(({ tree }) => tree).join(" and ");
    return `The broker let the machine in and ended the connection. If it does so again and again, allow ${this.#who} to read and write ${trees} at the broker.`;
  }
}
