import assert from "node:assert/strict";
import { ConfigRefused } from "../../appliance/base/refusal.ts";
import { type Config, readConfig } from "../../appliance/config/config.ts";

export const fromEnv = (env: Record<string, string>): Config => readConfig({ flags: {}, env });

/** The problems of a configuration that cannot be used. */
export function problemsOf(env: Record<string, string>, file?: string): readonly string[] {
  try {
    readConfig({ flags: {}, env, file });
  } catch (error) {
    if (error instanceof ConfigRefused) return error.refusals.map(({ message }) => message);
    throw error;
  }
  return assert.fail("the configuration was accepted");
}
