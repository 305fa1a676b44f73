/**
 * The demo before an audience: full screen, the keys that Streamlit has no name for, and notes in a window of their own that
 * go along. Streamlit calls the default export. Windows of the same browser tell each other the number of the step and
 * nothing else.
 */

import { Follower } from "./two-windows.js";

/**
 * @typedef {object} Mount
 * @property {{step: number, role: "stage" | "notes"}} data
 * @property {HTMLElement} parentElement
 * @property {(name: string, value: unknown) => void} setTriggerValue
 */

const CHANNEL = "chunkviz demo";
const FULL = "(display-mode: fullscreen)"; // by our button, and by the browser's own key

class Presenting {
  /** @param {Mount} mount */
  constructor(mount) {
    this.send = mount.setTriggerValue;
    this.role = mount.data.role;
    this.follower = new Follower(mount.data.step);
    this.aborter = new AbortController();
    const { signal } = this.aborter;
    this.channel = new BroadcastChannel(CHANNEL);
    this.channel.addEventListener("message", (event) => this.#told(event.data), { signal });
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    for (const about of [matchMedia(FULL), document])
      about.addEventListener(about === document ? "fullscreenchange" : "change", () => this.#entered(), { signal });
    this.button = document.createElement("button");
    this.button.type = "button";
    this.button.className = "cv-full";
    this.button.textContent = "Full screen ";
    const key = document.createElement("kbd");
    key.textContent = "F";
    this.button.append(key);
    this.button.addEventListener("click", () => this.#full(), { signal });
    if (this.role === "stage") mount.parentElement.append(this.button);
    this.#entered(); // the demo may begin in full screen
  }

  /** @param {Mount} mount */
  update(mount) {
    this.send = mount.setTriggerValue;
    if (this.follower.shown(mount.data.step)) this.channel.postMessage({ step: mount.data.step, role: this.role });
  }

  end() {
    this.aborter.abort();
    this.channel.close();
    this.button.remove();
    document.documentElement.removeAttribute("data-full");
  }

  /** @param {unknown} said */
  #told(said) {
    const { step, role } = /** @type {{step?: unknown, role?: unknown}} */ (said ?? {});
    if (!Number.isInteger(step) || role === this.role) return; // two stages do not lead each other
    if (this.follower.asked(/** @type {number} */ (step))) this.send("step", step);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event)) return;
    if (event.key === "?") press("demo-keys");
    else if (event.key.toLowerCase() === "f" && this.role === "stage") this.#full();
  }

  #full() {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen();
  }

  /** What the presenter reads is not for the room: whoever wants it there asks again. */
  #entered() {
    const full = document.fullscreenElement !== null || matchMedia(FULL).matches;
    document.documentElement.toggleAttribute("data-full", full);
    const notes = /** @type {HTMLElement | null} */ (document.querySelector(".st-key-demo-said"));
    if (!full || !notes || notes.style.display === "none") return;
    notes.style.display = "none";
    press("demo-notes");
  }
}

/**
 * Whether a key goes into a field.
 * @param {KeyboardEvent} event
 */
function typing(event) {
  const [target] = event.composedPath();
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** @param {string} key of a widget of Streamlit */
function press(key) {
  /** @type {HTMLElement | null} */ (document.querySelector(`.st-key-${key} button`))?.click();
}

/** @type {WeakMap<object, Presenting>} */
const known = new WeakMap();

/** @param {Mount} mount */
export default function show(mount) {
  const place = mount.parentElement;
  const made = known.get(place) ?? new Presenting(mount);
  known.set(place, made);
  made.update(mount);
  return () => {
    made.end();
    known.delete(place);
  };
}
