/** What the reader has selected in the viewer, as offsets into the document. */

/** @typedef {import("./render.js").Renderer} Renderer */
/** @typedef {{node: Node, offset: number}} Boundary */

/**
 * The selection inside the viewer: UTF-16 offsets, half-open; null where nothing is selected there.
 *
 * @param {Renderer} renderer
 * @returns {{column: number | null, start: number, end: number} | null} `column` is null for more than one column
 */
export function selected(renderer) {
  const range = rangeIn(renderer.scroller.getRootNode());
  if (!range) return null;
  const from = position(renderer, { node: range.startContainer, offset: range.startOffset });
  const to = position(renderer, { node: range.endContainer, offset: range.endOffset });
  if (!from || !to || (from.column === to.column && from.at >= to.at)) return null;
  return { column: from.column === to.column ? from.column : null, start: from.at, end: to.at };
}

/**
 * What is selected below a root. Browsers differ in how they tell of a selection inside a shadow tree.
 *
 * @param {Node} root
 * @returns {AbstractRange | null}
 */
function rangeIn(root) {
  const selection = /** @type {any} */ (document.getSelection());
  if (!selection) return null;
  if (root instanceof ShadowRoot) {
    const [composed] = selection.getComposedRanges?.({ shadowRoots: [root] }) ?? [];
    if (composed && root.contains(composed.startContainer)) return composed.collapsed ? null : composed;
    const own = /** @type {any} */ (root).getSelection?.();
    if (own?.rangeCount && !own.isCollapsed) return own.getRangeAt(0);
  }
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  return root.contains(range.startContainer) ? range : null;
}

/**
 * Where a boundary of a selection stands in the document, and in which column; null where it is outside the text.
 *
 * @param {Renderer} renderer
 * @param {Boundary} boundary
 * @returns {{column: number, at: number} | null}
 */
function position(renderer, boundary) {
  const { node, offset } = boundary;
  const element = node instanceof Element ? node : node.parentElement;
  const column = element?.closest("[data-column]");
  if (!element || !(column instanceof HTMLElement)) return null;
  const number = Number(column.dataset.column);
  const row = element.closest(".row");
  const cell = element.closest(".group");
  if (row && cell) {
    const rows = Array.from(cell.children);
    return { column: number, at: rowStart(renderer, cell, rows.indexOf(row)) + textBefore(row, node, offset) };
  }
  // Between rows: a paragraph that is selected by three clicks ends at the beginning of what comes after it.
  if (cell && node === cell) return { column: number, at: rowStart(renderer, cell, offset) };
  if (node === column) {
    const next = column.children[offset];
    if (!next) return { column: number, at: renderer.rowStart(Infinity) };
    return next.matches(".group") ? { column: number, at: rowStart(renderer, next, 0) } : null;
  }
  return null;
}

/**
 * @param {Renderer} renderer
 * @param {Element} cell
 * @param {number} row in the cell
 */
function rowStart(renderer, cell, row) {
  return renderer.rowStart(renderer.groups[renderer.groupOf.get(cell) ?? 0] + row);
}

/**
 * UTF-16 units of text in `root` before the boundary `(node, offset)`, which lies in it.
 *
 * A boundary in a text node counts units; in any other node it counts children.
 *
 * @param {Node} root
 * @param {Node} node
 * @param {number} offset
 */
export function textBefore(root, node, offset) {
  const text = 3; // Node.TEXT_NODE, spelled out for Node.js, which has no such name
  let units = 0;
  if (node.nodeType === text) units = offset;
  else for (let i = 0; i < offset; i++) units += length(node.childNodes[i]);
  for (let at = node; at !== root; at = /** @type {Node} */ (at.parentNode)) {
    for (let before = at.previousSibling; before; before = before.previousSibling) units += length(before);
  }
  return units;
}

/** @param {Node} node */
const length = (node) => (node.textContent ?? "").length;
