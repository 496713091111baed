function groupName(group) {
  const run = group.run || "all runs";
  return shortened(group.evaluator || group.gpu ? `${run} · ${group.gpu} · ${group.size} · ${group.evaluator}` : `${run} · mixed`, 120);
}

function fillSelect(id, options) {
  replace(byId(id), ...options.map(([value, text]) => element("option", { value }, text)));
}

// Choices of the chosen group; a choice that it lacks is dropped.
function fillChoices() {
  const own = ownRows.filter((row) => row.group === filters.group);
  const values = (key) => [...new Set(own.map((row) => row[key]))].sort((a, b) => (a < b ? -1 : 1));
  const all = ["", "all"];
  fillSelect("level", [all, ...values("level").map((level) => [String(level), level ? "level " + level : "no level"])]);
  fillSelect("family", [all, ...values("family").map((family) => [family, shortened(family, 40)])]);
  fillSelect("status", [all, ...values("status").map((status) => [status, status])]);
  fillSelect("label", [all, ...values("label").slice(0, 2000).map((label) => [JSON.stringify(label), shortened(label, 40) || "(none)"])]);
  for (const id of ["level", "family", "status", "label"]) {
    byId(id).value = filters[id];
    if (byId(id).selectedIndex < 0) { filters[id] = ""; byId(id).value = ""; }
  }
}

function showSummary() {
  const f = figuresOf(report.groups[filters.group], filters.level, filters.family);
  const rate = (of) => (of ? `${percent(of.lo95)} to ${percent(of.hi95)}` : "");
  const tile = (value, name, hint = "") => element("div", { class: "tile" }, element("b", {}, value), element("span", {}, name + (hint ? ` (${hint})` : "")));
  const mean = (of) => (of && of.lo95 !== null ? `${figure(of.lo95)} to ${figure(of.hi95)}` : "");
  replace(byId("summary"), element("div", { class: "tiles" },
    tile(f.problems, "problems", plural(f.judged, "evaluation", "evaluations")),
    tile(percent(f.success_rate?.value), "success", rate(f.success_rate)),
    tile(percent(f.correct_rate?.value), "correct", rate(f.correct_rate)),
    tile(times(f.speedup?.value), "geometric mean speedup", mean(f.speedup)),
    tile(times(f.speedup_vs_compile?.value), "vs torch.compile", mean(f.speedup_vs_compile)),
    tile(f.problems_won, "problems with a success"),
    tile(f.flagged, "flagged"),
    tile(f.infra_errors + f.checks, "left out", `${f.infra_errors} infrastructure, ${f.checks} checks`)));
}

function showRankings(shown) {
  const slowest = shown.filter((row) => isPoint(row) && isClean(row)).sort((a, b) => a.speedup - b.speedup).slice(0, 10);
  fillTable(byId("slowest"), [{ text: "problem" }, { text: "speedup [95 %]", number: true }, { text: "cand ms", number: true }],
    slowest.map((row) => element("tr", {}, cell(link(row, shortened(`${row.problem} ${row.name}`, 60))), cell(interval(row), true), cell(figure(row.cand_ms), true))));
  const flags = new Map();
  for (const row of shown) for (const flag of new Set(row.flags)) flags.set(flag, [...(flags.get(flag) ?? []), row]);
  fillTable(byId("flags"), [{ text: "flag" }, { text: "evaluations", number: true }, { text: "such as" }],
    [...flags].sort((a, b) => b[1].length - a[1].length).slice(0, 10).map(([flag, of]) =>
      element("tr", {}, cell(shortened(flag, 120)), cell(of.length, true), cell(link(of[0], shortened(of[0].problem, 40))))));
}

// One line a label; its name chooses it.
function showLabels() {
  const labels = report.groups[filters.group]?.labels ?? [];
  byId("labels-part").hidden = labels.length < 2;
  const choose = (label) => { filters.label = JSON.stringify(label); fillChoices(); update(); byId("table").scrollIntoView(); };
  fillTable(byId("labels"), [{ text: "label" }, { text: "problems", number: true }, { text: "judged", number: true },
    ...[0, 1, 1.5, 2, 4].map((p) => ({ text: `fast_${p}`, number: true })), { text: "speedup", number: true }, { text: "vs compile", number: true }, { text: "newest" }],
  labels.map(({ label, last, figures: f }) => element("tr", {},
    cell(element("button", { type: "button", on: { click: () => choose(label) } }, shortened(label, 60) || "(none)")),
    cell(f.problems, true), cell(f.judged, true), ...f.fast_p.map((at) => cell(percent(at.fast_p), true)),
    cell(times(f.speedup?.value), true), cell(times(f.speedup_vs_compile?.value), true), cell(shortTime(last)))));
}

function showProvenance() {
  const group = report.groups[filters.group];
  const lines = group ? [["evaluator", group.evaluator], ["GPU", group.gpu], ["size", group.size],
    ["evaluated", `${shortTime(group.provenance.first)} to ${shortTime(group.provenance.last)} UTC`],
    ...[...Object.entries(group.provenance.settings), ...Object.entries(group.provenance.versions)].map(([name, values]) => {
      const each = Object.entries(values);
      return [name, each.map(([value, count]) => (each.length === 1 ? value : `${value} (${count})`)).join(", ")];
    })] : [];
  fillTable(byId("provenance"), [{ text: "what" }, { text: "value" }], lines.map(([name, value]) => element("tr", {}, cell(name), cell(value))));
}

function update() {
  const shown = filtered();
  showSummary();
  drawFastP();
  drawSpeedups(shown);
  drawBreakdown();
  showRankings(shown);
  showTable(shown);
}

function watchFilters() {
  for (const id of ["level", "family", "status", "label"]) {
    byId(id).addEventListener("change", () => { filters[id] = byId(id).value; update(); });
  }
  byId("group").addEventListener("change", () => { filters.group = Number(byId("group").value); fillChoices(); showProvenance(); showLabels(); update(); });
  byId("flagged").addEventListener("change", () => { filters.flagged = byId("flagged").checked; update(); });
  let waiting = 0;
  byId("search").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => { filters.search = byId("search").value; update(); }, 150);
  });
  byId("reset").addEventListener("click", () => {
    Object.assign(filters, { level: "", family: "", status: "", label: "", search: "", flagged: false });
    byId("search").value = "";
    byId("flagged").checked = false;
    fillChoices();
    update();
  });
  byId("order").addEventListener("change", () => drawSpeedups(filtered()));
}

byId("subtitle").textContent = `${report.runs.filter(Boolean).map((run) => shortened(run, 60)).join(", ") || "whole database"}, made ${shortTime(report.created)} UTC`;
fillSelect("group", report.groups.map((group, i) => [String(i), groupName(group)]));
fillChoices();
watchTheme(() => { update(); showChanges(); if (charts.samples) showHash(); });
watchFilters();
watchPoints();
showProvenance();
showLabels();
update();
showChanges();
watchDetails();
document.documentElement.dataset.ready = "1";
