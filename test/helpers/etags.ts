/** Values of `If-None-Match` that name `etag`, and others that do not: by weak comparison. */
export function ifNoneMatch(etag: string): { known: string[]; unknown: string[] } {
  const strong = etag.replace(/^W\//, "");
  return {
    known: [strong, `W/${strong}`, `"other", ${strong}`, `W/"a,b",W/${strong} , "c"`, "*"],
    unknown: ['"other"', 'W/"*"', strong.slice(1, -1), `"${strong.slice(1, -1)}`, "W/"],
  };
}
