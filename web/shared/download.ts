/** Hands a text to the browser as a file to save. */
export function download(name: string, type: string, parts: string[]): void {
  const url = URL.createObjectURL(new Blob(parts, { type: `${type};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has to have begun reading it before the address may go.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
