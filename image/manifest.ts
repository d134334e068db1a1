/**
 * Writes the manifest that Raspberry Pi Imager offers the image by, with its settings dialog. Run:
 * node image/manifest.ts FOLDER NAME [sublist]; IMAGE_URL says where the image will be downloaded from. A sublist
 * is for lists of others, which link to it: Imager takes what is about itself at the top of a list only.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { partOf } from "./part.ts";

/**
 * The boards that Imager offers in its first step; without such a list it goes no further.
 * The tags are Imager's own; `pi3-64bit` has the Zero 2 W in it.
 */
const DEVICES = [
  ["Raspberry Pi 5", "pi5-64bit"],
  ["Raspberry Pi 4", "pi4-64bit"],
  ["Raspberry Pi 3 or Zero 2 W", "pi3-64bit"],
] as const;

interface ManifestParts {
  /** The folder that holds NAME.img and NAME.img.xz. */
  readonly folder: string;
  readonly name: string;
  readonly url: string | undefined;
  /** Epoch seconds. */
  readonly released: number;
}

interface Manifest {
  /** About Imager itself. */
  readonly imager: object;
  readonly os_list: readonly object[];
}

/** The same image in a list that another one links to. */
export function sublist({ os_list }: Manifest): object {
  return { os_list };
}

/** The manifest of an image that was built; hashes are read from the files themselves. */
export async function manifest({ folder, name, url, released }: ManifestParts): Promise<Manifest> {
  const packed = join(folder, `${name}.img.xz`);
  const image = await partOf(join(folder, `${name}.img`));
  const download = await partOf(packed);
  return {
    imager: {
      latest_version: "2.0.11",
      url: "https://www.raspberrypi.com/software/",
      devices: DEVICES.map(([name, tag]) => ({
        name,
        tags: [tag],
        icon: ICON,
        description: "64-bit",
        matching_type: "exclusive",
      })),
    },
    os_list: [
      {
        name: "Tallydeck",
        description: "Counts the visits to your sites and drives a stream deck",
        icon: ICON,
        url: url ?? pathToFileURL(packed).href,
        extract_size: image.size,
        extract_sha256: image.sha256,
        image_download_size: download.size,
        image_download_sha256: download.sha256,
        release_date: new Date(released * 1_000).toISOString().slice(0, 10),
        devices: DEVICES.map(([, tag]) => tag),
        architecture: "armv8",
        init_format: "rpi-preseed",
      },
    ],
  };
}

/** Three bars, as a picture that needs no download. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><rect width="40" height="40" rx="8" fill="#1b6ef3"/><path d="M11 29v-9M20 29V11M29 29v-6" stroke="#fff" stroke-width="5" stroke-linecap="round"/></svg>',
)}`;

async function main([folder, name, form]: readonly string[]): Promise<number> {
  if (folder === undefined || name === undefined || ![undefined, "sublist"].includes(form)) {
    console.error("Usage: node image/manifest.ts FOLDER NAME [sublist]");
    return 2;
  }
  const { SOURCE_DATE_EPOCH, IMAGE_URL: url } = process.env;
  const made = await manifest({ folder, name, url, released: Number(SOURCE_DATE_EPOCH ?? 0) });
  console.log(JSON.stringify(form === "sublist" ? sublist(made) : made, null, 2));
  return 0;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
