import { declaresNothing, elements, elementText, unprefixed } from "../../base/input/xml.ts";
import { MOST_FILES, type TargetFile } from "./target.ts";

/**
 * The files in the answer to a PROPFIND (RFC 4918, 14.16), without folders; undefined where it is no such answer, or has
 * too many.
 * @param xml at most as long as the caller allows
 */
export function filesIn(xml: string): TargetFile[] | undefined {
  if (!declaresNothing(xml)) return undefined;
  const plain = unprefixed(xml);
  if (!/<multistatus[\s>]/.test(plain)) return undefined;
  const responses = elements(plain, "response", MOST_FILES + 1);
  if (responses.length > MOST_FILES) return undefined;
  return responses.flatMap((response) => {
    const href = elementText(response, "href") ?? "";
    // A property that a resource lacks stands in a part of its own, empty.
    const lengths = elements(response, "getcontentlength").map((text) => text.trim());
    const length = lengths.find((text) => /^\d{1,15}$/.test(text));
    const name = nameIn(href);
    return name === undefined || length === undefined ? [] : [{ name, bytes: Number(length) }];
  });
}

/** The last part of an address; undefined for a folder's. */
function nameIn(href: string): string | undefined {
  const [path = ""] = href.split(/[?#]/);
  try {
    const name = decodeURIComponent(path.slice(path.lastIndexOf("/") + 1));
    return name === "" ? undefined : name;
  } catch {
    return undefined;
  }
}
