/**
 * Starts the viewer in an HTML file of its own: `export_html.py` writes this script, and everything it needs, into it.
 * The modules are wired through blob: addresses, because a file has no others that a browser would import from.
 */

/** @typedef {{modules: [string, string][], css: string}} Program */
/** @typedef {{data: ArrayBuffer, parentElement: ShadowRoot, setStateValue: (name: string, value: unknown) => void}} Mount */

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {string} text */
const say = (text) => {
  element("said").textContent = text;
};

/**
 * What is packed in one of the page's data elements.
 * @param {string} id
 */
async function unpacked(id) {
  const letters = atob(element(id).textContent ?? "");
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/**
 * The address of the last module. Each comes after those it imports, whose addresses are put in.
 * @param {[string, string][]} modules name and source
 */
function wired(modules) {
  /** @type {Map<string, string>} */
  const addresses = new Map();
  let last = "";
  for (const [name, source] of modules) {
    const own = source.replace(/\bfrom "\.\/([\w-]+\.js)";/g, (_, other) => `from "${addresses.get(other)}";`);
    last = URL.createObjectURL(new Blob([own], { type: "text/javascript" }));
    addresses.set(name, last);
  }
  return last;
}

async function start() {
  if (typeof DecompressionStream === "undefined") throw new Error("this browser is too old to unpack it");
  const [program, doc, view] = await Promise.all(["program", "document", "view"].map(unpacked));
  /** @type {Program} */
  const { modules, css } = JSON.parse(new TextDecoder().decode(program));
  const root = element("viewer").attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  // The page scrolls as little as possible: the columns take what the window leaves.
  sheet.replaceSync(`${css}\n.scroller { height: max(320px, calc(100vh - 250px)); }`);
  root.adoptedStyleSheets = [sheet];
  const { default: show } = await import(wired(modules));
  /** @type {Mount["setStateValue"]} */
  const setStateValue = (name, value) => {
    if (name !== "threshold") return;
    const { param, amount } = /** @type {{param: string, amount: number}} */ (value);
    // Python answers in the app; here nobody works the first column's figures out again.
    root.querySelector(".audit-column")?.replaceChildren();
    const subtitle = root.querySelector('[data-column="0"] .subtitle');
    if (subtitle) subtitle.textContent = `${param.replaceAll("_", " ")} ${amount}, set in this file`;
    say(
      "You moved the threshold: the first column is cut anew. Figures about it were taken away, and differences are " +
        "still those of the cut that was exported.",
    );
  };
  const mounts = [doc, view].map((data) => ({ data, parentElement: root, setStateValue }));
  for (const mount of mounts) show(mount);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => show(mounts[1]));
  say("");
}

start().catch((error) => say(`This file cannot be shown: ${error instanceof Error ? error.message : error}.`));
