import { type DrivenBrowser, untilTold } from "./driven-browser.ts";

/** Somebody with one of these browsers, who sees texts, clicks on them and types. */
export class Guest {
  readonly browser: DrivenBrowser;
  /** The presses so far. */
  clicks = 0;

  constructor(browser: DrivenBrowser) {
    this.browser = browser;
  }

  /** Waits for what a selector finds that is on screen and says `text`. @returns all it says */
  sees(selector: string, text: string | RegExp = ""): Promise<string> {
    return untilTold(this.browser, `(${found(selector, text)})?.innerText ?? null`);
  }

  /** Scrolls to what a selector finds, and waits until it says `text`: what is off the screen may not be drawn. */
  async scrollTo(selector: string, text: string): Promise<string> {
    return untilTold(
      this.browser,
      `((node) => {
        node?.scrollIntoView({ block: "center", behavior: "instant" });
        return node?.innerText.includes(${JSON.stringify(text)}) ? node.innerText : null;
      })(document.querySelector(${JSON.stringify(selector)}))`,
    );
  }

  async click(selector: string, text: string | RegExp = ""): Promise<void> {
    await this.#press(found(selector, text));
  }

  /** Types into the field of a label, over what is in it: after a press, unless it has the focus. */
  async fill(label: string, text: string): Promise<void> {
    const has = await untilTold<"focus" | "none">(
      this.browser,
      `((field) => field && (field === document.activeElement ? "focus" : "none"))(${labelled(label)})`,
    );
    if (has === "none") await this.#press(labelled(label));
    await untilTold(this.browser, `(${labelled(label)}.select(), true)`);
    const actions = [...text].flatMap((value) => [
      { type: "keyDown", value },
      { type: "keyUp", value },
    ]);
    await this.browser.perform([{ type: "key", id: "keys", actions }]);
    await untilTold(this.browser, `(${labelled(label)}).value === ${JSON.stringify(text)}`);
  }

  /** Chooses an option of a list: each browser opens it in its own way, and not on the page. */
  async choose(label: string, option: string): Promise<void> {
    await untilTold(
      this.browser,
      `((list) => {
        const option = [...list?.options ?? []].find(({ label }) => label === ${JSON.stringify(option)});
        if (!option) return null;
        option.selected = true;
        for (const type of ["input", "change"]) list.dispatchEvent(new Event(type, { bubbles: true }));
        return true;
      })(${labelled(label)})`,
    );
  }

  async #press(node: string): Promise<void> {
    // The place where it has come to rest: it is there at a second look, too.
    const [x, y] = await untilTold<[number, number]>(
      this.browser,
      `((node) => {
        if (!node || node.disabled) return null;
        node.scrollIntoView({ block: "center", behavior: "instant" });
        const { left, top, width, height } = node.getBoundingClientRect();
        const at = [Math.floor(left + width / 2), Math.floor(top + height / 2)];
        const before = node.seenAt;
        node.seenAt = String(at);
        const hit = document.elementFromPoint(...at);
        if (before !== node.seenAt || !(node.contains(hit) || hit?.contains(node))) return null;
        delete node.seenAt;
        return at;
      })(${node})`,
    );
    const actions = [
      { type: "pointerMove", x, y, duration: 0, origin: "viewport" },
      { type: "pointerDown", button: 0 },
      { type: "pointerUp", button: 0 },
    ];
    await this.browser.perform([{ type: "pointer", id: "mouse", actions }]);
    this.clicks += 1;
  }
}

const found = (selector: string, text: string | RegExp) =>
  `[...document.querySelectorAll(${JSON.stringify(selector)})].find((node) =>
    node.checkVisibility() && ${text instanceof RegExp ? `${text}.test(node.innerText)` : `node.innerText.includes(${JSON.stringify(text)})`})`;

const labelled = (label: string) =>
  `[...document.querySelectorAll("input:not([type=radio]), select, textarea")].find((node) =>
    node.checkVisibility() && (node.placeholder === ${JSON.stringify(label)} || node.ariaLabel === ${JSON.stringify(label)} ||
      [...node.labels].some(({ innerText }) => innerText.split("\\n")[0] === ${JSON.stringify(label)})))`;
