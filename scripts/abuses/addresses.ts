/** `nth` address of an IPv4 block like `127.64.0.0/10`, its first and last left out; it begins anew
 * when there are no more. */
export function addressOf(block: string, nth: number): string {
  const [base = "", bits] = block.split("/");
  const size = 2 ** (32 - Number(bits));
  const first = base.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  const address = first + 1 + (nth % (size - 2));
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join(".");
}

/** An IPv4 block that has room for more than one address. */
export const BLOCK = /^(?:\d{1,3}\.){3}\d{1,3}\/(?:[1-9]|[12]\d|30)$/;
