// Comparison with an earlier run, or stored successes that no longer hold.
const changeMoods = { broken: "bad", loss: "bad", fixed: "good", gain: "good", status: "doubt", same: "" };

function sideCell(side) {
  const text = `${side.success ? "success" : side.status} ${side.speedup === null ? "" : times(side.speedup)}`;
  const row = rowById.get(side.id);
  return cell(row ? link(row, text) : text);
}

function changesTable(pairs) {
  const table = element("table", { id: "changes-table", class: "lines" });
  fillTable(table, [{ text: "problem" }, { text: "change" }, { text: "before" }, { text: "now" }, { text: "ratio", number: true }, { text: "why" }],
    pairs.map((pair) => element("tr", {}, cell(shortened(pair.problem, 40)),
      cell(element("span", { class: changeMoods[pair.change] || null }, pair.change)), sideCell(pair.before), sideCell(pair.now),
      cell(figure(pair.ratio), true), cell(shortened(pair.now.message || pair.now.flags.join(", "), 140)))));
  return element("div", { class: "scroll bounded", tabindex: "0" }, table);
}

function drawRatios(pairs) {
  const timed = pairs.filter((pair) => pair.ratio !== null).sort((a, b) => a.ratio - b.ratio);
  const colours = { broken: "bad", loss: "bad", fixed: "good", gain: "good", status: "doubt", same: "dim" };
  draw("ratios", {
    type: "scatter",
    plugins: [lineAtOne],
    data: { datasets: Object.keys(colours).map((change) => ({
      label: change, borderColor: colour(colours[change]), backgroundColor: colour(colours[change]),
      pointStyle: change === "broken" || change === "loss" ? "triangle" : "circle", pointRadius: 4,
      data: timed.map((pair, x) => ({ x, y: pair.ratio, pair })).filter((point) => point.pair.change === change),
    })).filter((set) => set.data.length) },
    options: {
      onClick: (event, items, chart) => {
        if (items.length) openRow(rowById.get(chart.data.datasets[items[0].datasetIndex].data[items[0].index].pair.now.id));
      },
      scales: { x: axis("pairs, least ratio first", { ticks: { display: false } }), y: axis("speedup now / before (log)", { type: "logarithmic" }) },
      plugins: { tooltip: { callbacks: { label: (item) => `${shortened(item.raw.pair.problem, 40)}: ${times(item.raw.y)}, ${item.raw.pair.change}` } } },
    },
  });
}

function showChanges() {
  const { comparison, regressions } = report;
  const part = byId("changes");
  const pairs = comparison ? comparison.pairs.filter((pair) => pair.change !== "same") : regressions;
  part.hidden = !comparison && !pairs.length;
  if (part.hidden) return;
  if (!comparison) {
    replace(part, element("h2", {}, "Stored successes that no longer hold"), changesTable(pairs));
    return;
  }
  const counts = Object.keys(changeMoods)
    .map((change) => [change, comparison.pairs.filter((pair) => pair.change === change).length]).filter(([, count]) => count);
  const ratio = comparison.ratio ? `; speedup now over before ${times(comparison.ratio.value)} (${figure(comparison.ratio.lo95)} to ${figure(comparison.ratio.hi95)})` : "";
  replace(part, element("h2", {}, "Against " + shortened(comparison.against, 80)),
    element("p", { class: "hint" }, `${plural(comparison.pairs.length, "pair", "pairs")}: ${counts.map(([name, count]) => `${count} ${name}`).join(", ")}${ratio}.` +
      (comparison.differs.length ? ` Not the same in both: ${comparison.differs.join(", ")}.` : "") +
      ` Only here: ${plural(comparison.new.length, "problem", "problems")}; only there: ${comparison.gone.length}.`),
    element("div", { class: "chart" }, element("canvas", { id: "ratios", role: "img", "aria-label": "Speedup now over before of each pair; the table below has them" })),
    changesTable(pairs));
  drawRatios(comparison.pairs);
}
