/**
 * Elements of this page that cut their text off, one line each; run in the page by overflow.py.
 *
 * Only elements with text of their own, or with inline parts that have some, are looked at: a box that holds other boxes
 * is judged by those.
 *
 * @param {string[]} allowed selectors of parts that may cut off
 */
(allowed) => {
  /** @type {string[]} */
  const found = [];
  const MADE_UP = /^(st-)?emotion|^e[0-9a-z]{6,}|^st-/; // class names that change with every release

  /** @param {Element} element */
  const called = (element) => {
    const tag = element.tagName.toLowerCase();
    if (element.id) return `${tag}#${element.id}`;
    const id = element instanceof HTMLElement && element.dataset.testid;
    if (id) return `${tag}[data-testid=${id}]`;
    const names = Array.from(element.classList).filter((name) => !MADE_UP.test(name));
    return [tag, ...names.slice(0, 2)].join(".");
  };

  /** @param {Element} element */
  const path = (element) => {
    const parts = [];
    for (let at = /** @type {Element | null} */ (element); at && parts.length < 4; at = at.parentElement) {
      parts.unshift(called(at));
    }
    return parts.join(" > ");
  };

  /** @param {Element} element */
  const hasText = (element) =>
    Array.from(element.childNodes).some((node) =>
      node instanceof Element
        ? getComputedStyle(node).display.startsWith("inline") && node.textContent?.trim()
        : node.nodeType === Node.TEXT_NODE && node.textContent?.trim(),
    );

  /** @param {Element} element */
  const isTitled = (element) => Boolean(element.closest("[title]:not([title=''])"));

  /**
   * Whether the text of a select box stands whole beside it: such a box has one line and cannot grow.
   * @param {HTMLInputElement} input
   */
  const isTold = (input) => {
    const block = input.closest('[data-testid="stVerticalBlock"]');
    return block instanceof HTMLElement && block.innerText.includes(input.value); // what is not displayed does not count
  };

  /** @param {Document | ShadowRoot} root */
  const look = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) look(element.shadowRoot);
      if (!(element instanceof HTMLElement) || element.clientWidth < 8 || element.clientHeight < 8) continue;
      const style = getComputedStyle(element);
      const input = element instanceof HTMLInputElement ? element : null;
      // A field to write in scrolls; the field of a select box only shows what was chosen.
      const hidesWidth = input ? input.role === "combobox" : /hidden|clip/.test(style.overflowX);
      const hidesHeight = /hidden|clip/.test(style.overflowY);
      const wide = hidesWidth && element.scrollWidth > element.clientWidth + 1;
      const high = hidesHeight && element.scrollHeight > element.clientHeight + 3;
      if (!(wide || high) || isTitled(element) || allowed.some((selector) => element.closest(selector))) continue;
      if (!(hasText(element) || input?.value)) continue;
      if (input && isTold(input)) continue;
      if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      const text = (input?.value ?? element.textContent ?? "").trim().replace(/\s+/g, " ").slice(0, 60);
      const size = `${element.scrollWidth} by ${element.scrollHeight} in ${element.clientWidth} by ${element.clientHeight}`;
      found.push(`${path(element)}: "${text}", ${size}`);
    }
  };

  look(document);
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) found.push(`the page itself: ${scrollWidth} pixels wide in ${innerWidth}`);
  return found;
};
