"use strict";
// The report as it lies in the page. A row is an object; `index` is its place, which leads to its details.
const report = JSON.parse(document.getElementById("data").textContent);
const rows = report.rows.map((values, index) => {
  const row = { index };
  for (let i = 0; i < values.length; ++i) row[report.columns[i]] = values[i];
  return row;
});
report.rows = null;
const rowById = new Map(rows.map((row) => [row.id, row]));

// What stands in the table and the charts: not the rows of the earlier run.
const ownRows = rows.filter((row) => row.group >= 0);
const isClean = (row) => row.status === "correct" && row.flags.length === 0;
const isPoint = (row) => row.status === "correct" && row.kind === "run" && row.speedup > 0;

const filters = { group: 0, level: "", family: "", status: "", label: "", search: "", flagged: false };

function searchText(row) {
  row.text ??= [row.problem, row.name, row.family, row.label, row.status, row.message, row.id, row.created, ...row.flags]
    .join("\n").toLowerCase();
  return row.text;
}

function filtered() {
  const words = filters.search.toLowerCase().split(/\s+/).filter(Boolean);
  return ownRows.filter((row) =>
    row.group === filters.group &&
    (filters.level === "" || row.level === Number(filters.level)) &&
    (filters.family === "" || row.family === filters.family) &&
    (filters.status === "" || row.status === filters.status) &&
    (filters.label === "" || row.label === JSON.parse(filters.label)) &&
    (!filters.flagged || row.flags.length > 0) &&
    words.every((word) => searchText(row).includes(word)));
}

const nothing = {
  evaluations: 0, checks: 0, infra_errors: 0, judged: 0, problems: 0, problems_won: 0, correct: 0, successes: 0,
  flagged: 0, statuses: {}, flags: {}, correct_rate: null, success_rate: null, mean_score: 0, speedup: null,
  speedup_vs_compile: null, fast_p: [], curve: [],
};

// The figures that kbeval computed for a level, a family or both; never computed here.
function figuresOf(group, level, family) {
  if (!group) return nothing;
  if (level === "" && family === "") return group.figures;
  const slice = group.slices.find((part) =>
    part.level === (level === "" ? null : Number(level)) && part.family === (family === "" ? null : family));
  return slice ? slice.figures : nothing;
}

// The earlier run's group on the same GPU at the same size.
function earlierGroup() {
  const now = report.groups[filters.group];
  return now && report.earlier.find((group) => group.gpu === now.gpu && group.size === now.size);
}
