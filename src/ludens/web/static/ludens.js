"use strict";
// What pages do without asking the server: boards by mouse and keyboard, the gallery's search, the editor, clocks.
(() => {
  const tell = (element, name, detail) => element.dispatchEvent(new CustomEvent(name, { detail }));
  const cellOf = (node) => node && node.closest && node.closest(".board [data-cell]");
  const nameOf = (cell) => `${cell.dataset.grid}-${cell.dataset.cell}`;

  // -- boards ------------------------------------------------------------------------------
  let pressed = null;
  let focused = null;
  document.addEventListener("pointerdown", (event) => { pressed = event.button === 0 ? cellOf(event.target) : null; });
  document.addEventListener("pointerup", (event) => {
    const first = pressed && nameOf(pressed);
    const board = pressed && pressed.closest(".board");
    const last = cellOf(document.elementFromPoint(event.clientX, event.clientY));
    pressed = null;
    if (!board || !last || last.closest(".board") !== board) return;
    tell(board, "pick", first === nameOf(last) ? [first] : [first, nameOf(last)]);
  });
  const middle = (cell) => {
    const box = cell.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  };
  const neighbour = (board, from, [dx, dy]) => {
    const [x, y] = middle(from);
    let best = null, least = Infinity;
    for (const cell of board.querySelectorAll("[data-cell]")) {
      const [cx, cy] = middle(cell);
      const ahead = (cx - x) * dx + (cy - y) * dy, aside = Math.abs((cx - x) * dy) + Math.abs((cy - y) * dx);
      if (ahead > 2 && ahead + 2 * aside < least) { least = ahead + 2 * aside; best = cell; }
    }
    return best;
  };
  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  document.addEventListener("keydown", (event) => {
    const board = event.target.closest && event.target.closest(".board");
    if (!board || event.ctrlKey || event.metaKey || event.altKey) return;
    const current = cellOf(event.target);
    if (event.key in ARROWS) {
      const next = current ? neighbour(board, current, ARROWS[event.key]) : board.querySelector(".can") || board.querySelector("[data-cell]");
      if (next) { next.focus(); focused = nameOf(next); event.preventDefault(); }
    } else if (current && (event.key === "Enter" || event.key === " ")) {
      focused = nameOf(current);
      tell(board, "pick", [focused]);
      event.preventDefault();
    } else if (event.key === "Escape") { focused = null; board.focus(); }
  });
  document.addEventListener("focusin", (event) => { if (!cellOf(event.target) && event.target !== document.body) focused = null; });
  // Frames of cells that matter lie above those of their neighbours.
  const lift = (board) => {
    const svg = board.querySelector("svg:not([data-lifted])");
    if (!svg) return;
    svg.setAttribute("data-lifted", "");
    for (const kind of [".can", ".hinted", ".picked"]) for (const cell of svg.querySelectorAll(kind)) cell.parentNode.append(cell);
  };
  new MutationObserver((changes) => {
    for (const change of changes) {
      const board = change.target.nodeType === 1 && change.target.closest(".board");
      if (board) lift(board);
      if (board && focused && !board.contains(document.activeElement)) {
        const [grid, cell] = focused.split("-");
        const again = board.querySelector(`[data-grid="${grid}"][data-cell="${cell}"]`);
        if (again) again.focus({ preventScroll: true });
      }
    }
  }).observe(document.documentElement, { childList: true, subtree: true });

  // -- keys --------------------------------------------------------------------------------
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|TEXTAREA|SELECT/.test(event.target.tagName)) return;
    if (event.key === "/") {
      const search = document.querySelector("input[type=search]");
      if (search) { search.focus(); event.preventDefault(); }
      return;
    }
    const button = event.key.length === 1 && document.querySelector(`button[data-key="${CSS.escape(event.key)}"]:not([disabled])`);
    if (button) { button.click(); event.preventDefault(); }
  });

  // -- lists that are searched ---------------------------------------------------------------
  const filter = (finder) => {
    const words = finder.querySelector("input[type=search]").value.toLowerCase().split(/\s+/).filter(Boolean);
    const tags = [...finder.querySelectorAll(".chip[aria-pressed=true]")].map((chip) => chip.dataset.tag);
    const found = [...document.querySelectorAll(finder.dataset.finds)].filter((item) => {
      const fits = words.every((word) => item.dataset.text.includes(word))
        && tags.every((tag) => (item.dataset.tags || "").split(" ").includes(tag));
      item.hidden = !fits;
      return fits;
    });
    const none = document.querySelector(".none");
    if (none) none.hidden = found.length > 0;
    return found;
  };
  document.addEventListener("input", (event) => { const finder = event.target.closest(".finder"); if (finder) filter(finder); });
  // What one person sought is not shown to the next one.
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      target.querySelector("input[type=search]").value = "";
      filter(target);
    }
  }).observe(document.documentElement, { attributes: true, attributeFilter: ["data-occasion"], subtree: true });
  document.addEventListener("click", (event) => {
    const chip = event.target.closest(".chip");
    if (!chip) return;
    chip.setAttribute("aria-pressed", String(chip.getAttribute("aria-pressed") !== "true"));
    filter(chip.closest(".finder"));
  });
  document.addEventListener("keydown", (event) => {
    const finder = event.key === "Enter" && event.target.matches("input[type=search]") && event.target.closest(".finder");
    if (!finder) return;
    const found = filter(finder);
    if (found.length) found[0].click();
  });

  // -- clocks ------------------------------------------------------------------------------
  setInterval(() => {
    for (const clock of document.querySelectorAll(".clock[data-ends]")) {
      const left = Math.max(0, Math.round((Number(clock.dataset.ends) - Date.now()) / 1000));
      clock.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
    }
  }, 250);

  // -- the editor ----------------------------------------------------------------------------
  const KEYWORDS = new Set("role init true next legal does goal terminal distinct not or and base input random sees <= =>".split(" "));
  const escaped = (text) => text.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign]);
  const painted = (line) => line.replace(/;.*|\?[^\s()]+|[()]|[^\s();]+/g, (token) => {
    const kind = token[0] === ";" ? "c" : token[0] === "?" ? "v" : /[()]/.test(token) ? "p" : KEYWORDS.has(token.toLowerCase()) ? "k" : "";
    return kind ? `<span class="${kind}">${escaped(token)}</span>` : escaped(token);
  });
  class Editor {
    constructor(sheet) {
      this.sheet = sheet;
      this.area = sheet.querySelector("textarea");
      this.back = sheet.querySelector("pre");
      this.gutter = sheet.querySelector(".gutter");
      this.marks = new Map();
      this.area.addEventListener("input", () => { this.marks.clear(); this.paint(); this.later(); });
      this.area.addEventListener("scroll", () => this.follow());
      this.area.addEventListener("keydown", (event) => {
        if (event.key === "Tab" && !event.shiftKey && !this.leaving) { document.execCommand("insertText", false, "    "); event.preventDefault(); }
        this.leaving = event.key === "Escape";
      });
      this.paint();
    }
    later() { clearTimeout(this.timer); this.timer = setTimeout(() => tell(this.sheet, "sheet", this.area.value), 350); }
    follow() { this.back.scrollTop = this.area.scrollTop; this.back.scrollLeft = this.area.scrollLeft; this.gutter.scrollTop = this.area.scrollTop; }
    paint() {
      const lines = this.area.value.split("\n");
      this.back.innerHTML = lines.map((line, index) => this.marks.get(index + 1) === "error" ? `<span class="bad">${painted(line) || " "}</span>` : painted(line)).join("\n") + "\n\n";
      this.gutter.innerHTML = lines.map((_, index) => `<div class="${this.marks.get(index + 1) || ""}">${index + 1}</div>`).join("") + "<div>&nbsp;</div><div>&nbsp;</div>";
      this.follow();
    }
    mark(findings) {
      const order = { error: 3, warning: 2, info: 1 };
      this.marks.clear();
      for (const [line, severity] of findings) if (line && !((order[this.marks.get(line)] || 0) >= order[severity])) this.marks.set(line, severity);
      this.paint();
    }
    go(line) {
      const lines = this.area.value.split("\n");
      const start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
      this.area.focus();
      this.area.setSelectionRange(start, start + (lines[line - 1] || "").length);
      this.area.scrollTop = Math.max(0, (line - 6) * 20);
      this.follow();
    }
    find(name) {
      const word = name.replace(/\/\d+$/, "").toLowerCase();
      const lines = this.area.value.toLowerCase().split("\n");
      const at = lines.findIndex((line) => line.replace(/;.*/, "").match(/[^\s()]+/g)?.find((token) => token !== "<=") === word);
      if (at >= 0) this.go(at + 1);
    }
    set(text) { this.area.value = text; this.marks.clear(); this.paint(); this.area.scrollTop = 0; tell(this.sheet, "sheet", text); }
  }
  const follow = (node) => {
    const svg = node.closest("svg"), name = node.dataset.name, lit = new Set([name]);
    svg.classList.add("following");
    for (const edge of svg.querySelectorAll(".edge")) {
      const near = edge.dataset.from === name || edge.dataset.to === name;
      edge.classList.toggle("lit", near);
      if (near) { lit.add(edge.dataset.from); lit.add(edge.dataset.to); }
    }
    for (const other of svg.querySelectorAll(".node")) other.classList.toggle("lit", lit.has(other.dataset.name));
  };
  document.addEventListener("click", (event) => {
    const node = event.target.closest && event.target.closest("svg.graph .node");
    if (!node) return;
    follow(node);
    if (window.ludens.editor) window.ludens.editor.find(node.dataset.name);
  });
  document.addEventListener("keydown", (event) => {
    const node = event.key === "Enter" && event.target.closest && event.target.closest("svg.graph .node");
    if (node) { follow(node); if (window.ludens.editor) window.ludens.editor.find(node.dataset.name); }
  });
  window.ludens = {
    editor: null,
    edit() { const sheet = document.querySelector(".sheet"); if (sheet && !this.editor) this.editor = new Editor(sheet); },
  };
})();
