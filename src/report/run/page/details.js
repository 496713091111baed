// One evaluation with source, messages and samples, unpacked from its block when it is asked for.
const blocks = new Map();

async function unpack(number) {
  const packed = Uint8Array.from(atob(byId("block-" + number).textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

function detailsOf(row) {
  const number = Math.floor(row.index / report.block_size);
  if (!blocks.has(number)) blocks.set(number, unpack(number));
  return blocks.get(number).then((block) => block[row.index % report.block_size]);
}

const openRow = (row) => { location.hash = row.id; };

function pairsTable(pairs) {
  return element("div", { class: "scroll" }, element("table", {}, element("tbody", {}, ...pairs
    .filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([name, value]) => element("tr", {}, element("th", { scope: "row" }, name),
      element("td", {}, typeof value === "object" ? JSON.stringify(value) : value))))));
}

function section(title, ...children) {
  return [element("h3", {}, title), ...children];
}

function samplesPart(samples) {
  const table = element("table");
  fillTable(table, ["trial", "round", "reference ms", "torch.compile ms", "candidate ms"].map((text) => ({ text, number: true })),
    samples.cand.map((value, i) => element("tr", {}, ...[i, samples.round[i], figure(samples.ref[i], 6), figure(samples.compile[i], 6), figure(value, 6)].map((text) => cell(text, true)))));
  return section("Samples", element("div", { class: "chart" }, element("canvas", { id: "samples", role: "img", "aria-label": "Times of every trial; the table below has the figures" })),
    element("details", {}, element("summary", {}, plural(samples.cand.length, "trial", "trials")), element("div", { class: "scroll" }, table)));
}

function drawSamples(samples) {
  const set = (label, key, name) => ({ label, data: samples[key].map((y, x) => ({ x, y })), borderColor: colour(name), backgroundColor: colour(name), pointRadius: 2 });
  draw("samples", {
    type: "scatter",
    data: { datasets: [set("reference", "ref", "dim"), set("torch.compile", "compile", "other"), set("candidate", "cand", "accent")] },
    options: { scales: { x: axis("trial"), y: axis("ms (log)", { type: "logarithmic" }) } },
  });
}

function agreementText(a) {
  if (a === null || typeof a !== "object" || !Array.isArray(a.worst_index)) return a;
  const number = (value) => (typeof value === "number" ? figure(value) : String(value));  // JSON has no infinity
  return `largest difference ${number(a.max_abs_diff)} absolute, ${number(a.max_rel_diff)} relative; ${percent(a.share_beyond_tolerance)} beyond tolerance over ${plural(a.seeds_checked, "seed", "seeds")}; `
    + `worst at output ${a.output} [${a.worst_index.join(", ")}]: expected ${a.worst_expected}, got ${a.worst_actual}`;
}

function evaluationPart(row, record) {
  return [
    element("div", { class: "top" }, element("h2", {}, `${row.problem} ${row.name} `, element("span", { class: mood(row) }, word(row))),
      element("button", { type: "button", autofocus: true, on: { click: () => byId("details").close() } }, "Close")),
    ...(record.message ? section("Message", element("pre", { class: "wrap", tabindex: "0" }, record.message)) : []),
    ...section("Verdict", pairsTable([
      ["speedup", row.speedup === null ? null : `${interval(row)}, mean of ratios ${figure(record.speedup_mean)}, ${plural(record.trials, "trial", "trials")}`],
      ["vs torch.compile", record.speedup_vs_compile === null ? record.compile_note : times(record.speedup_vs_compile)],
      ["reference, compile, candidate ms", row.cand_ms === null ? null : [row.ref_ms, row.compile_ms, row.cand_ms].map((ms) => figure(ms)).join(", ")],
      ["own kernels", record.own_kernel_time_frac === null ? null : percent(record.own_kernel_time_frac)],
      ["score", figure(record.score)], ["flags", record.flags.join("\n") || "none"], ["notes", record.notes.join("\n")],
      ["agreement", agreementText(record.agreement)], ["label", record.label], ["created", record.created], ["id", record.id], ["kind", record.kind],
      ["candidate, problem", `${record.candidate_digest}, ${record.problem_digest}`],
      ["GPU, size, evaluator", `${record.gpu}, ${record.size}, ${record.evaluator}`],
      ["tolerance, seed", `atol ${record.atol} rtol ${record.rtol}, ${record.seeds} from ${record.seed}`],
      ...Object.entries(record.versions), ...Object.entries(record.conditions),
      ["stages in s", Object.entries(record.stages).map(([name, s]) => `${name} ${figure(s, 3)}`).join(", ")],
    ])),
    ...(record.samples.cand.length ? samplesPart(record.samples) : []),
    ...section("Source", element("pre", { tabindex: "0", id: "source" }, record.source)),
    ...(record.log ? section("Log of its runner", element("pre", { class: "wrap", tabindex: "0" }, record.log)) : []),
  ];
}

async function showHash() {
  const row = rowById.get(location.hash.slice(1));
  const dialog = byId("details");
  if (!row) { if (dialog.open) dialog.close(); return; }
  replace(byId("details-body"), element("p", {}, "Unpacking…"));
  if (!dialog.open) dialog.showModal();
  try {
    const record = await detailsOf(row);
    replace(byId("details-body"), ...evaluationPart(row, record));
    if (record.samples.cand.length) drawSamples(record.samples);
  } catch (error) {
    replace(byId("details-body"), element("p", {}, `This browser can't unpack it (${error.message}): kbeval show ${row.id.slice(0, 8)}`));
  }
  dialog.scrollTop = 0;
  dialog.querySelector("button")?.focus();
}

function watchDetails() {
  addEventListener("hashchange", showHash);
  byId("details").addEventListener("close", () => {
    charts.samples?.destroy();
    delete charts.samples;
    if (rowById.has(location.hash.slice(1))) history.pushState(null, "", "#");
  });
  byId("details").addEventListener("click", (event) => { if (event.target === byId("details")) byId("details").close(); });
  if (location.hash) showHash();
}
