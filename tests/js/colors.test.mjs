import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { chunkColors, COLORS } from "../../chunkviz/ui/component/colors.js";
import { random, randomSpans } from "./support.mjs";

test("a chunk differs from the one before it and from those it overlaps with", () => {
  for (let run = 0; run < 300; run++) {
    const { starts, ends } = randomSpans(random(run), 200);
    const colors = chunkColors(starts, ends);
    for (let i = 0; i < starts.length; i++) {
      assert.ok(colors[i] < COLORS);
      for (let j = Math.max(0, i - COLORS + 1); j < i; j++) {
        if (j === i - 1 || ends[j] > starts[i]) assert.notEqual(colors[j], colors[i], `run ${run}: ${j} and ${i}`);
      }
    }
  }
});

test("a boundary that goes away recolours hardly anything", () => {
  const pick = random(7);
  const borders = [0];
  while (borders.length < 1001) borders.push(/** @type {number} */ (borders.at(-1)) + 50 + pick(400));
  const colorsOf = (list) => {
    const colors = chunkColors(list.slice(0, -1), list.slice(1));
    return new Map(list.slice(0, -1).map((start, i) => [start, colors[i]]));
  };
  const before = colorsOf(borders);
  let changed = 0;
  for (let gone = 1; gone <= 200; gone++) {
    const after = colorsOf(borders.filter((_, i) => i !== gone * 4));
    for (const [start, color] of after) if (before.get(start) !== color) changed++;
  }
  assert.ok(changed / 200 < 4, `${changed / 200} of 1,000 on average`);
});

// --- the colours themselves ------------------------------------------------------------------------------------------

const css = readFileSync(new URL("../../chunkviz/ui/component/viewer.css", import.meta.url), "utf-8");
const THEMES = {
  light: { block: /\.viewer \{([^}]*)\}/, ink: "#1b1f2a", paper: "#ffffff" },
  dark: { block: /\.viewer\[data-theme="dark"\] \{([^}]*)\}/, ink: "#eceff6", paper: "#12151c" },
};

/** Linear RGB of "#rrggbb". */
const linear = (hex) =>
  [1, 3, 5].map((i) => {
    const c = Number.parseInt(hex.slice(i, i + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });

const times = (matrix, v) => matrix.map((row) => row.reduce((sum, m, i) => sum + m * v[i], 0));

/** How colours look to eyes of each kind: Machado, Oliveira and Fernandes 2009, full severity; on linear RGB. */
const EYES = {
  normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protan: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deutan: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritan: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

/** OKLab of linear RGB. */
function oklab(rgb) {
  const cone = times(
    [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566], [0.0883024619, 0.2817188376, 0.6299787005]],
    rgb,
  ).map(Math.cbrt);
  return times(
    [[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099], [0.0259040371, 0.7827717662, -0.808675766]],
    cone,
  );
}

const clipped = (rgb) => rgb.map((c) => Math.min(1, Math.max(0, c)));
const luminance = (hex) => times([[0.2126, 0.7152, 0.0722]], linear(hex))[0];
const contrast = (a, b) => {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
};

for (const [theme, { block, ink, paper }] of Object.entries(THEMES)) {
  const rules = block.exec(css)?.[1] ?? "";
  const value = (name) => new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(rules)?.[1];
  const palette = Array.from({ length: COLORS }, (_, i) => value(`chunk-${i}`));

  test(`${theme}: every two colours can be told apart by every eye`, () => {
    for (const [eye, matrix] of Object.entries(EYES)) {
      for (let i = 0; i < COLORS; i++) {
        for (let j = 0; j < i; j++) {
          const [a, b] = [palette[i], palette[j]].map((hex) => oklab(clipped(times(matrix, linear(hex)))));
          const distance = 100 * Math.hypot(...a.map((x, k) => x - b[k]));
          assert.ok(distance >= 5, `${eye}: ${palette[i]} and ${palette[j]} are ${distance.toFixed(1)} apart`);
        }
      }
    }
  });

  test(`${theme}: text on every colour has a contrast of 7:1, and no colour passes for the page`, () => {
    for (const color of palette) {
      assert.ok(contrast(ink, color) >= 7, `${color}: ${contrast(ink, color).toFixed(2)}`);
      const [a, b] = [color, paper].map((hex) => oklab(linear(hex)));
      assert.ok(100 * Math.hypot(...a.map((x, k) => x - b[k])) >= 5, color);
    }
  });

  test(`${theme}: what is lit or marked can be read, and a lit chunk looks like no chunk`, () => {
    const inherited = (name) => value(name) ?? new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(css)?.[1];
    assert.ok(contrast(inherited("lit"), inherited("lit-ink")) >= 7);
    assert.ok(contrast(inherited("mark"), inherited("mark-ink")) >= 7);
    for (const color of palette) {
      const [a, b] = [color, inherited("lit")].map((hex) => oklab(linear(hex)));
      assert.ok(100 * Math.hypot(...a.map((x, k) => x - b[k])) >= 5, color);
    }
  });
}
