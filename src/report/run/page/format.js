// Texts reach the page through text nodes only, so that none of them can become markup.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "on") for (const [event, handler] of Object.entries(value)) made.addEventListener(event, handler);
    else if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children) made.append(child instanceof Node ? child : document.createTextNode(String(child)));
  return made;
}

const byId = (id) => document.getElementById(id);
const replace = (parent, ...children) => parent.replaceChildren(...children);

function figure(value, digits = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return value.toExponential(digits - 1);
  return size >= 10 ** digits ? value.toFixed(0) : value.toPrecision(digits);
}
const times = (value) => (value === null || value === undefined ? "–" : figure(value) + "×");
const percent = (value) => (value === null || value === undefined ? "–" : (100 * value).toFixed(1) + " %");
const shortTime = (created) => created.slice(0, 19).replace("T", " ");
const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`;
const shortened = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);

function interval(row) {
  return row.speedup === null ? "–" : `${times(row.speedup)} [${figure(row.lo95)}, ${figure(row.hi95)}]`;
}

function mood(row) {
  if (row.status !== "correct") return "bad";
  return row.success || (row.kind === "check" && row.flags.length === 0) ? "good" : "doubt";
}

const word = (row) => (row.success ? "success" : row.status);

const statuses = ["correct", "incorrect", "compile_error", "runtime_error", "timeout", "forbidden", "no_code",
  "no_custom_kernel"];

function cell(content, isNumber = false) {
  return element("td", { class: isNumber ? "number" : null }, content);
}

function link(row, text) {
  return element("a", { href: "#" + row.id }, text);
}

// A small table whose headings sort it by what its cells show, figures as figures.
function fillTable(table, titles, lines) {
  const head = element("tr", {}, ...titles.map((title, i) =>
    element("th", { scope: "col", class: title.number ? "number" : null, "aria-sort": "none" },
      element("button", { type: "button", on: { click: (event) => sortLines(table, i, title.number, event.currentTarget.parentNode) } }, title.text))));
  replace(table, element("thead", {}, head), element("tbody", {}, ...lines));
}

function sortLines(table, column, isNumber, heading) {
  const down = heading.getAttribute("aria-sort") === "ascending" || (isNumber && heading.getAttribute("aria-sort") === "none");
  const value = (line) => {
    const text = line.cells[column].textContent;
    return isNumber ? parseFloat(text) : text;
  };
  const sorted = [...table.tBodies[0].rows].sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
    return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
  });
  for (const each of heading.parentNode.cells) each.setAttribute("aria-sort", "none");
  heading.setAttribute("aria-sort", down ? "descending" : "ascending");
  table.tBodies[0].append(...sorted);
}
