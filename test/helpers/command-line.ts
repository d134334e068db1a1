import { type Env, runHere } from "./here.ts";
import type { Ended } from "./tallydeck.ts";

/**
 * Runs the command line as the program does, in this process, with nothing in its environment but `env`: a process of its
 * own, as `Running` has it, takes half a second.
 */
export async function tallydeck(
  args: readonly string[],
  env: Env = {},
  input?: string,
): Promise<Ended> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await runHere(
    args,
    env,
    { out: (bytes) => out.push(bytes.toString()), err: (text) => err.push(text) },
    { input },
  );
  return { code, out: out.join(""), err: err.join("") };
}
