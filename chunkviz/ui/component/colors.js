/**
 * Which colour each chunk gets. The colours themselves are in viewer.css, as --chunk-0 to --chunk-5 of each theme.
 *
 * A chunk's colour is a hash of where it starts, moved on until it differs from those of the chunks it touches. So
 * neighbours always differ, a chunk that starts at the same place tends to look the same in every column, and a
 * boundary that moves recolours hardly anything; colours by turn would flip for the whole rest of the document.
 */

export const COLORS = 6;

/** @param {number} value */
function mixed(value) {
  let hash = Math.imul(value ^ (value >>> 16), 0x45d9f3b);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * A colour number for each chunk, in [0, COLORS).
 *
 * A chunk differs from the one before it and from all it overlaps with, as long as there are colours left:
 * where more than five chunks overlap at one place, the nearest five.
 *
 * @param {ArrayLike<number>} starts never decreasing
 * @param {ArrayLike<number>} ends never decreasing
 * @returns {Uint8Array}
 */
export function chunkColors(starts, ends) {
  const colors = new Uint8Array(starts.length);
  for (let i = 0; i < starts.length; i++) {
    let taken = 0;
    for (let j = i - 1; j >= 0 && i - j < COLORS && (j === i - 1 || ends[j] >= starts[i]); j--) taken |= 1 << colors[j];
    let color = mixed(starts[i]) % COLORS;
    while (taken & (1 << color)) color = (color + 1) % COLORS;
    colors[i] = color;
  }
  return colors;
}

/**
 * The theme that Streamlit's background colour makes: "light", "dark", or "" where there is none.
 * @param {HTMLElement} root
 */
export function themeOf(root) {
  const background = getComputedStyle(root).getPropertyValue("--st-background-color").trim();
  return background ? (luminance(background) < 0.4 ? "dark" : "light") : "";
}

/**
 * Relative luminance of a colour as CSS spells it, in [0, 1].
 * @param {string} color "#rrggbb", "#rgb" or "rgb(r, g, b)"
 */
function luminance(color) {
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})/i.exec(color)?.[1];
  const parts = hex
    ? (hex.length === 3 ? Array.from(hex, (c) => c + c) : (hex.match(/../g) ?? [])).map((c) => Number.parseInt(c, 16))
    : (color.match(/[\d.]+/g) ?? ["255", "255", "255"]).slice(0, 3).map(Number);
  const [r, g, b] = parts.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
