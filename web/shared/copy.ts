/**
 * Copies text to the clipboard.
 * `navigator.clipboard` exists on HTTPS and localhost only; a box is mostly opened over plain HTTP
 * on a LAN name, where selecting a text area and `execCommand("copy")` still works.
 * @returns whether the text is on the clipboard now
 */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Refused, for example in a frame: the way below may still be open.
    }
  }
  const back = document.activeElement;
  const area = document.createElement("textarea");
  area.value = text;
  area.readOnly = true;
  area.className = "offscreen";
  // Inside an open modal dialog nothing outside of it can take the focus.
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  if (back instanceof HTMLElement) back.focus({ preventScroll: true });
  return copied;
}
