(() => {
"use strict";
const root = document.documentElement;
const button = document.getElementById("theme");

function theme(dark) {
  root.dataset.theme = dark ? "dark" : "light";
  button.textContent = dark ? "light" : "dark";
  button.setAttribute("aria-label", dark ? "Switch to light" : "Switch to dark");
}

/** What a cell is sorted by: its first number, or its text. */
function key(row, column) {
  const text = row.cells[column].textContent.replace("−", "-").replace(/(\d) (?=\d{3})/g, "$1");
  const number = parseFloat(text.replace(/^× /, ""));
  return Number.isNaN(number) ? text : number;
}

function sort(table, column) {
  const head = table.tHead.rows[0].cells[column];
  const down = head.getAttribute("aria-sort") !== "descending";
  for (const cell of table.tHead.rows[0].cells) cell.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const order = (a, b) => typeof a === "number" && typeof b === "number" ? a - b : typeof a === "number" ? 1 : typeof b === "number" ? -1 : a < b ? 1 : a > b ? -1 : 0;
  const rows = [...table.tBodies[0].rows].map((row) => [key(row, column), row]);
  rows.sort((a, b) => (down ? order(b[0], a[0]) : order(a[0], b[0])));
  table.tBodies[0].append(...rows.map(([, row]) => row));
}

for (const table of document.querySelectorAll(".sortable")) {
  [...table.tHead.rows[0].cells].forEach((cell, column) => {
    if (!cell.textContent) return;
    cell.tabIndex = 0;
    cell.addEventListener("click", () => sort(table, column));
    cell.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); sort(table, column); } });
  });
}
button.addEventListener("click", () => theme(root.dataset.theme !== "dark"));
document.addEventListener("keydown", (event) => { if (event.key.toLowerCase() === "t" && !event.ctrlKey && !event.metaKey) button.click(); });
const dusk = matchMedia("(prefers-color-scheme: dark)");
theme(dusk.matches);
dusk.addEventListener("change", () => theme(dusk.matches));
})();
