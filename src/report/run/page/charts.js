const charts = {};

// Each chart is made anew: simpler than keeping one true under every filter and theme.
function draw(id, config) {
  charts[id]?.destroy();
  Chart.defaults.color = colour("dim");
  Chart.defaults.borderColor = colour("line");
  Chart.defaults.font.family = "system-ui, sans-serif";
  config.options = { animation: false, responsive: true, maintainAspectRatio: false, ...config.options };
  charts[id] = new Chart(byId(id), config);
}

const axis = (text, more = {}) => ({ title: { display: true, text }, ...more });

function drawFastP() {
  const line = (curve, key) => curve.map((at) => ({ x: at.p, y: 100 * at[key] }));
  const now = figuresOf(report.groups[filters.group], filters.level, filters.family);
  const before = figuresOf(earlierGroup(), filters.level, filters.family);
  const last = Math.max(2, ...now.curve.filter((at) => at.raw > 0).map((at) => at.p));
  const band = { pointRadius: 0, borderWidth: 0, backgroundColor: colour("accent") + "26" };
  const datasets = [
    { label: "95 % interval", data: line(now.curve, "hi95"), fill: "+1", ...band },
    { label: "lower", data: line(now.curve, "lo95"), ...band },
    { label: "surely", data: line(now.curve, "fast_p"), borderColor: colour("accent"), pointRadius: 0, stepped: "after" },
    { label: "raw", data: line(now.curve, "raw"), borderColor: colour("doubt"), borderDash: [6, 4], pointRadius: 0 },
    { label: "best of each problem", data: line(now.curve, "best"), borderColor: colour("good"), borderDash: [2, 3], pointRadius: 0 },
  ];
  if (before.curve.length) {
    datasets.push({ label: "surely, earlier run", data: line(before.curve, "fast_p"), borderColor: colour("other"), pointRadius: 0, stepped: "after" });
  }
  // Other groups on the same GPU at the same size, to compare runs.
  const chosen = report.groups[filters.group];
  const others = report.groups.filter((group) => group !== chosen && group.gpu === chosen.gpu && group.size === chosen.size).slice(0, 6);
  others.forEach((group, i) => {
    const curve = figuresOf(group, filters.level, filters.family).curve;
    datasets.push({ label: shortened(group.run || group.evaluator, 30), data: line(curve, "fast_p"), borderColor: Object.values(statusColours)[i], borderWidth: 1.5, pointRadius: 0, stepped: "after" });
  });
  draw("fast-p", {
    type: "line",
    data: { datasets },
    options: {
      interaction: { mode: "index", intersect: false },
      scales: { x: axis("p", { type: "linear", min: 0, max: last }), y: axis("% of problems", { min: 0, max: 100 }) },
      plugins: {
        legend: { labels: { filter: (item) => item.text !== "lower", boxHeight: 2 } },
        tooltip: { callbacks: {
          title: (items) => "p = " + items[0]?.parsed.x,
          label: (item) => `${item.dataset.label === "lower" ? "interval from" : item.dataset.label === "95 % interval" ? "interval to" : item.dataset.label}: ${item.parsed.y.toFixed(1)} %`,
        } },
      },
    },
  });
  fillTable(byId("fast-p-table"),
    [{ text: "p" }, { text: "surely (95 %)", number: true }, { text: "raw", number: true }, { text: "best", number: true }],
    now.fast_p.map((at) => element("tr", {}, cell(figure(at.p, 2)),
      cell(`${percent(at.fast_p)} (${percent(at.lo95)} to ${percent(at.hi95)})`, true), cell(percent(at.raw), true),
      cell(percent(at.best), true))));
}

// Draws the interval of every point of the dataset behind it.
const intervalBars = {
  id: "intervalBars",
  beforeDatasetDraw(chart, { index, meta }) {
    const dataset = chart.data.datasets[index];
    if (!dataset.bars || meta.hidden) return;
    const { ctx, scales: { x, y } } = chart;
    ctx.save();
    ctx.strokeStyle = dataset.borderColor;
    ctx.globalAlpha = 0.55;
    ctx.beginPath();
    for (const point of dataset.data) {
      if (point.row.lo95 > 0 && point.row.hi95 > 0) {
        const at = x.getPixelForValue(point.x);
        ctx.moveTo(at, y.getPixelForValue(point.row.lo95));
        ctx.lineTo(at, y.getPixelForValue(point.row.hi95));
      }
    }
    ctx.stroke();
    ctx.restore();
  },
};

// A line where neither side is faster.
const lineAtOne = {
  id: "lineAtOne",
  beforeDatasetsDraw({ ctx, chartArea, scales: { y } }) {
    const at = y.getPixelForValue(1);
    if (!(at >= chartArea.top && at <= chartArea.bottom)) return;
    ctx.save();
    ctx.strokeStyle = colour("dim");
    ctx.setLineDash([5, 4]);
    ctx.beginPath();
    ctx.moveTo(chartArea.left, at);
    ctx.lineTo(chartArea.right, at);
    ctx.stroke();
    ctx.restore();
  },
};

const orders = {
  speedup: (a, b) => a.speedup - b.speedup,
  problem: (a, b) => (a.problem < b.problem ? -1 : a.problem > b.problem ? 1 : a.speedup - b.speedup),
  created: (a, b) => (a.created < b.created ? -1 : a.created > b.created ? 1 : 0),
};

let points = [];       // rows in the order of the x axis
let keyboardPoint = -1;

const pointText = (row) => `${row.problem} ${shortened(row.name, 40)}: ${interval(row)}, vs compile ${times(row.vs_compile)}, ${word(row)}${row.flags.length ? ", " + plural(row.flags.length, "flag", "flags") : ""}`;

function drawSpeedups(shown) {
  points = shown.filter(isPoint).sort(orders[byId("order").value]);
  keyboardPoint = -1;
  const radius = points.length > 2000 ? 1.5 : points.length > 300 ? 2.5 : 4;
  const place = new Map(points.map((row, i) => [row, i]));
  const set = (label, colourName, chosen, style) => ({
    label, bars: true, borderColor: colour(colourName), backgroundColor: colour(colourName), pointStyle: style,
    pointRadius: radius, pointHoverRadius: radius + 3, data: points.filter(chosen).map((row) => ({ x: place.get(row), y: row.speedup, row })),
  });
  const datasets = [
    set("success", "good", (row) => row.success, "circle"),
    set("no success", "doubt", (row) => !row.success && row.flags.length === 0, "rect"),
    set("flagged", "bad", (row) => row.flags.length > 0, "triangle"),
    { label: "vs torch.compile", borderColor: colour("other"), backgroundColor: "transparent", pointStyle: "crossRot",
      pointRadius: radius, hidden: points.length > 300,
      data: points.filter((row) => row.vs_compile > 0).map((row) => ({ x: place.get(row), y: row.vs_compile, row })) },
  ];
  const ordered = byId("order").value;
  const heights = [1, ...points.flatMap((row) => [row.lo95, row.hi95, row.speedup, row.vs_compile])].filter((y) => y > 0);
  const [least, most] = heights.reduce(([low, high], y) => [Math.min(low, y), Math.max(high, y)], [Infinity, 0]);
  draw("speedups", {
    type: "scatter",
    data: { datasets },
    plugins: [intervalBars, lineAtOne],
    options: {
      interaction: { mode: "nearest", axis: "xy", intersect: true },
      onClick: (event, items) => { if (items.length) openRow(datasets[items[0].datasetIndex].data[items[0].index].row); },
      onHover: (event, items) => { event.native.target.style.cursor = items.length ? "pointer" : "default"; },
      scales: {
        x: axis(ordered === "speedup" ? "evaluations, least speedup first" : "evaluations " + (ordered === "problem" ? "by problem" : "by time"), {
          min: -0.5, max: Math.max(0.5, points.length - 0.5), grid: { display: points.length <= 60 },
          afterBuildTicks: points.length <= 60 ? (scale) => { scale.ticks = points.map((row, value) => ({ value })); } : undefined,
          ticks: { autoSkip: true, maxRotation: 90, callback: (value) => (Number.isInteger(value) && points[value] ? shortened(points[value].problem, 14) : "") } }),
        y: axis("speedup (log)", { type: "logarithmic", min: least / 1.2, max: most * 1.2, ticks: { callback: (value) => ([1, 2, 5].includes(Number((value / 10 ** Math.floor(Math.log10(value))).toPrecision(6))) ? figure(value, 2) : "") } }),
      },
      plugins: {
        legend: { labels: { usePointStyle: true } },
        tooltip: { callbacks: { label: (item) => shortened(pointText(item.raw.row), 160) } },
      },
    },
  });
}

function movePoint(by) {
  if (!points.length) return;
  keyboardPoint = Math.max(0, Math.min(points.length - 1, keyboardPoint + by));
  const chart = charts.speedups;
  const row = points[keyboardPoint];
  for (let datasetIndex = 0; datasetIndex < 3; ++datasetIndex) {
    const index = chart.data.datasets[datasetIndex].data.findIndex((point) => point.row === row);
    if (index >= 0) {
      chart.setActiveElements([{ datasetIndex, index }]);
      const { x, y } = chart.getDatasetMeta(datasetIndex).data[index];
      chart.tooltip.setActiveElements([{ datasetIndex, index }], { x, y });
      chart.update("none");
    }
  }
  byId("speedups-said").textContent = pointText(row);
}

function watchPoints() {
  byId("speedups").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageDown: 10, PageUp: -10, Home: -points.length, End: points.length + 1 }[event.key];
    if (step) movePoint(step);
    else if (event.key === "Enter" && keyboardPoint >= 0) openRow(points[keyboardPoint]);
    else return;
    event.preventDefault();
  });
}

// Stacked shares of statuses of parts of a group.
function drawStatuses(id, parts) {
  draw(id, {
    type: "bar",
    data: {
      labels: parts.map((part) => part.name),
      datasets: statuses.filter((status) => parts.some((part) => part.figures.statuses[status])).map((status) => ({
        label: status, backgroundColor: statusColours[status],
        data: parts.map((part) => 100 * (part.figures.statuses[status] ?? 0) / (part.figures.judged || 1)),
        counts: parts.map((part) => part.figures.statuses[status] ?? 0),
      })),
    },
    options: {
      indexAxis: "y",
      scales: { x: axis("% of evaluations", { stacked: true, min: 0, max: 100 }), y: { stacked: true, ticks: { autoSkip: false } } },
      plugins: {
        legend: { labels: { boxWidth: 12 } },
        tooltip: { callbacks: { label: (item) => `${item.dataset.label}: ${item.dataset.counts[item.dataIndex]} (${item.parsed.x.toFixed(1)} %)` } },
      },
    },
  });
}

function drawBreakdown() {
  const slices = report.groups[filters.group]?.slices ?? [];
  const wanted = (part) => part.figures.judged > 0;
  const fixed = (key, value) => (value === "" ? null : key === "level" ? Number(value) : value);
  const level = fixed("level", filters.level);
  const family = fixed("family", filters.family);
  drawStatuses("by-level", slices.filter((part) => part.level !== null && part.family === family && (level === null || part.level === level) && wanted(part))
    .map((part) => ({ name: part.level ? "level " + part.level : "no level", figures: part.figures })));
  drawStatuses("by-family", slices.filter((part) => part.family !== null && part.level === level && (family === null || part.family === family) && wanted(part))
    .map((part) => ({ name: shortened(part.family, 20), figures: part.figures })));
}
