import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Every source of the project at `root`: path from there → text. */
export function sourcesOf(root: string): Map<string, string> {
  return new Map(
    ["appliance", "image", "scripts", "test", "web"]
      .flatMap((folder) =>
        readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) =>
          join(folder, name),
        ),
      )
      .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".d.ts"))
      .filter((file) => !file.startsWith("web/dist/") && !file.includes("node_modules/"))
      .map((file) => [file, readFileSync(join(root, file), "utf8")]),
  );
}
