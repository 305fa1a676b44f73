/** The buttons for editing by hand, and the keys that do the same. */

import { make } from "./make.js";

/** @typedef {"split" | "merge" | "back" | "on" | "undo" | "redo"} Command */
/** @typedef {Command | "before" | "after"} KeyCommand `before` and `after` move the place of a split by a word */

/** @type {[Command, string, string, string][]} name, words, key, what it does */
const BUTTONS = [
  ["split", "Split here", "s", "Split here"],
  ["merge", "Merge with the one before", "Backspace", "Merge with the one before"],
  ["back", "‹ Start", "[", "Move this chunk’s start one word back"],
  ["on", "Start ›", "]", "Move this chunk’s start one word on"],
  ["undo", "Undo", "Ctrl+Z", "Undo"],
  ["redo", "Redo", "Ctrl+Shift+Z", "Redo"],
];

/** @type {Record<string, KeyCommand>} */
const KEYS = { s: "split", Backspace: "merge", Delete: "merge", "[": "back", "]": "on", ",": "before", ".": "after" };

/**
 * What a key means for editing.
 *
 * @param {{key: string, ctrlKey: boolean, metaKey: boolean, shiftKey: boolean, altKey: boolean}} event
 * @returns {KeyCommand | null}
 */
export function commandOf({ key, ctrlKey, metaKey, shiftKey, altKey }) {
  // On many keyboards [ and ] are typed with AltGr, for which the browser says Alt, or Ctrl and Alt.
  if ((key === "[" || key === "]") && altKey && !metaKey) return KEYS[key];
  if (altKey) return null;
  if (!ctrlKey && !metaKey) return Object.hasOwn(KEYS, key) ? KEYS[key] : null;
  const letter = key.toLowerCase();
  if (letter === "z") return shiftKey ? "redo" : "undo";
  return letter === "y" ? "redo" : null;
}

export class Buttons {
  /**
   * @param {(command: Command) => void} act
   * @param {(reason: string) => void} refuse says why a button does nothing now
   */
  constructor(act, refuse) {
    this.element = make("div", "toolbar editing");
    this.element.setAttribute("role", "toolbar");
    this.element.setAttribute("aria-label", "Edit the chunks by hand");
    this.element.hidden = true;
    this.element.dataset.testid = "editing";
    /** @type {Map<Command, HTMLButtonElement>} */
    this.all = new Map();
    for (const [command, text, key, help] of BUTTONS) {
      const button = make("button", "editing-button", text);
      button.type = "button";
      button.dataset.help = `${help} (${key})`;
      button.setAttribute("aria-label", button.dataset.help);
      button.addEventListener("click", () => (button.dataset.reason ? refuse(button.dataset.reason) : act(command)));
      const frame = make("span", "pair");
      frame.append(button);
      this.element.append(frame);
      this.all.set(command, button);
    }
    this.element.append(make("span", "editing-hint", "Drag the grip at a chunk’s start, or click a word and split there."));
  }

  /** @param {Record<Command, string>} reasons why each can do nothing, "" where it can */
  update(reasons) {
    for (const [command, button] of this.all) {
      const reason = reasons[command];
      // Not `disabled`: a button that cannot be reached cannot say why.
      button.setAttribute("aria-disabled", String(Boolean(reason)));
      button.dataset.reason = reason;
      button.title = reason || (button.dataset.help ?? "");
    }
  }
}
