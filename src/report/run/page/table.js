// The table of evaluations: sorted, filtered, and shown a page at a time.
const pageSize = 50;
const table = { shown: [], page: 0, sort: "created", down: true };

const tableColumns = [
  { key: "problem", title: "problem", make: (row) => link(row, shortened(row.problem, 40)) },
  { key: "name", title: "name", optional: true, make: (row) => shortened(row.name, 40) },
  { key: "family", title: "family", optional: true, make: (row) => row.family },
  { key: "status", title: "status", make: (row) => element("span", { class: mood(row) }, word(row)) },
  { key: "speedup", title: "speedup [95 %]", number: true, make: interval },
  { key: "vs_compile", title: "vs compile", number: true, make: (row) => times(row.vs_compile) },
  { key: "cand_ms", title: "cand ms", number: true, make: (row) => figure(row.cand_ms) },
  { key: "flags", title: "flags", value: (row) => row.flags.length, make: (row) => shortened(row.flags.join(", "), 80) },
  { key: "message", title: "message", optional: true, make: (row) => shortened(row.message, 90) },
  { key: "label", title: "label", optional: true, make: (row) => shortened(row.label, 40) },
  { key: "seconds", title: "judged in s", number: true, optional: true, make: (row) => figure(row.seconds, 3) },
  { key: "created", title: "time (UTC)", make: (row) => shortTime(row.created) },
];

// Nothing sorts last, whichever way.
function compareBy(column, down) {
  const value = column.value ?? ((row) => row[column.key]);
  return (a, b) => {
    const x = value(a);
    const y = value(b);
    if (x === null || y === null) return (x === null) - (y === null);
    return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
  };
}

function showTable(shown) {
  const column = tableColumns.find((each) => each.key === table.sort);
  table.shown = [...shown].sort(compareBy(column, table.down));
  table.page = 0;
  byId("shown").textContent = `${plural(shown.length, "evaluation", "evaluations")} of ${ownRows.filter((row) => row.group === filters.group).length}`;
  showPage();
}

function sortBy(column) {
  table.down = table.sort === column.key ? !table.down : Boolean(column.number);
  table.sort = column.key;
  showTable(table.shown);
  byId("table").querySelector(`th[data-key="${column.key}"] button`).focus();
}

function showPage() {
  const body = byId("table").tBodies[0];
  const first = table.page * pageSize;
  replace(byId("table").tHead, element("tr", {}, ...tableColumns.map((column) => element("th", {
    scope: "col", "data-key": column.key, class: [column.number && "number", column.optional && "optional"].filter(Boolean).join(" ") || null,
    "aria-sort": table.sort === column.key ? (table.down ? "descending" : "ascending") : "none",
  }, element("button", { type: "button", on: { click: () => sortBy(column) } }, column.title)))));
  replace(body, ...table.shown.slice(first, first + pageSize).map((row) => element("tr", {}, ...tableColumns.map((column) => {
    const made = cell(column.make(row), column.number);
    if (column.optional) made.classList.add("optional");
    return made;
  }))));
  const last = Math.max(0, Math.ceil(table.shown.length / pageSize) - 1);
  const go = (text, page, disabled) => element("button", { type: "button", disabled, on: { click: () => { table.page = page; showPage(); } } }, text);
  replace(byId("pages"), go("First", 0, table.page === 0), go("Previous", table.page - 1, table.page === 0),
    element("span", {}, `page ${table.page + 1} of ${last + 1}`),
    go("Next", table.page + 1, table.page === last), go("Last", last, table.page === last));
}
