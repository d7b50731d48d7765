/* Draws the page of tools/bench_page.py from the data in it, with Chart.js. */
(() => {
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const find = id => document.getElementById(id);

/* Bands of the ratio, from the worst: each begins at its number. */
const BANDS = [0, 0.25, 0.5, 0.75, 0.9];
const BAND_TEXTS = ["below 0.25", "0.25 to 0.5", "0.5 to 0.75", "0.75 to 0.9", "0.9 and more"];
const FEW_ROWS = 20;   /* drawn of a section before one asks for more */
const CHUNK_ROWS = 40; /* in one canvas: browsers limit its height */
const BAR = 14;        /* pixels, that labels of 11 do not touch */
const FEW_LINES = 12;  /* charts of lines drawn before one asks for more */

const bandOf = ratio => BANDS.findLastIndex(begin => ratio >= begin);
const peersOf = rows => [...new Set(rows.flatMap(row => Object.keys(row.peers)))].sort();
const allPeers = peersOf(data.rows);
const sizes = [...new Set(data.rows.map(row => row.size))].sort((a, b) => a - b);
const types = [...new Set(data.rows.map(row => row.type))].sort();

function groupBy(rows, keyOf) {
  const groups = new Map();
  for (const row of rows) groups.set(keyOf(row), [...groups.get(keyOf(row)) ?? [], row]);
  return groups;
}

/* ---- words ---- */

const sizeText = bytes => {
  const units = ["B", "KiB", "MiB", "GiB"];
  let unit = 0;
  for (; bytes >= 1024 && unit < 3; unit++) bytes /= 1024;
  return `${+bytes.toFixed(1)} ${units[unit]}`;
};
const three = value => value >= 999.5 ? value.toFixed(0) : String(+value.toPrecision(3));
const timeText = ms => ms < 0.001 ? `${three(ms * 1e6)} ns` : ms < 1 ? `${three(ms * 1e3)} µs` : `${three(ms)} ms`;
const ratioText = ratio => ratio < 0.1 ? ratio.toFixed(3) : ratio.toFixed(2);
const times = factor => `${factor < 9.995 ? factor.toFixed(2) : three(factor)} ×`;
const peerText = peer => peer === "torch" ? "PyTorch" : peer === "torch-cpu" ? "PyTorch on the CPU"
  : { cupy: "CuPy", numpy: "NumPy", cub: "CUB" }[peer] ?? peer;
const many = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

const middle = values => {
  const sorted = [...values].sort((a, b) => a - b), half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
};
/* How many times as fast as the fastest peer; NaN: nothing to compare with. */
const against = row => Math.min(...Object.values(row.peers)) / row.ms;
const hasPeer = row => Object.keys(row.peers).length > 0;

/* Where several sizes are shown, summaries are of the largest: small ones wait for the dispatch, not for memory. */
const showsSizes = () => state.size === "" && sizes.length > 1;
const largest = rows => showsSizes() ? rows.filter(row => row.size === sizes.at(-1)) : rows;
const atLargest = () => showsSizes() ? ` at ${sizeText(sizes.at(-1))}` : "";

/* ---- elements ---- */

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

const color = name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const peerColor = peer => color(`peer${allPeers.indexOf(peer) % 5}`);

function legend(entries) {
  return element("ul", { className: "legend" }, ...entries.map(([name, text, dash]) => {
    const mark = element("i", dash === undefined ? {} : { className: "stroke" });
    mark.style[dash === undefined ? "background" : "borderColor"] = `var(--${name})`;
    if (dash !== undefined) mark.style.borderTopStyle = dash;
    return element("li", {}, mark, text);
  }));
}

/* ---- charts ---- */

/* A canvas is drawn when it comes near the window, and again when the colours change. */
const drawings = new Map();
const watcher = new IntersectionObserver(entries => entries.filter(entry => entry.isIntersecting).forEach(entry => {
  watcher.unobserve(entry.target);
  draw(entry.target);
}), { rootMargin: "600px" });

function draw(holder) {
  const canvas = holder.firstChild;
  Chart.getChart(canvas)?.destroy();
  Chart.defaults.color = color("text");
  Chart.defaults.borderColor = color("line");
  new Chart(canvas, drawings.get(holder)(holder.clientWidth));
}

/* configure(width): Chart.js's configuration. height: in pixels, or else the style sheet's. */
function chart(text, height, configure) {
  const canvas = element("canvas", { role: "img", ariaLabel: text });
  const holder = element("div", { className: "chart" }, canvas);
  if (height) holder.style.height = `${height}px`;
  drawings.set(holder, configure);
  watcher.observe(holder);
  return holder;
}

function forgetCharts() {
  for (const holder of drawings.keys()) {
    watcher.unobserve(holder);
    Chart.getChart(holder.firstChild)?.destroy();
  }
  drawings.clear();
}

/* Writes each bar's label behind it. */
const barLabels = {
  id: "barLabels",
  afterDatasetsDraw(drawn) {
    const { ctx } = drawn;
    ctx.save();
    ctx.font = `11px ${Chart.defaults.font.family}`;
    ctx.textBaseline = "middle";
    ctx.lineWidth = 3;
    ctx.lineJoin = "round";
    ctx.strokeStyle = color("page");
    drawn.data.datasets.forEach((set, index) => drawn.getDatasetMeta(index).data.forEach((bar, i) => {
      if (set.data[i] !== null && set.labels) {
        /* A rim in the page's colour keeps grid lines off the letters. */
        ctx.strokeText(set.labels[i], bar.x + 4, bar.y);
        ctx.fillStyle = color(index ? "faint" : "text");
        ctx.fillText(set.labels[i], bar.x + 4, bar.y);
      }
    }));
    ctx.restore();
  }
};

const isNarrow = width => width < 620;

/* Bars of a few rows. measure: {unit, text, sets: [{label, color(row), value(row), text(row)}, ..], marks, limit} */
function barConfiguration(rows, measure, width) {
  const narrow = isNarrow(width);
  const sets = measure.sets.filter(set => rows.some(row => set.value(row) !== null));
  return {
    type: "bar",
    data: {
      labels: rows.map(measure.name),
      datasets: sets.map(set => ({
        label: set.label, data: rows.map(set.value), labels: rows.map(row => set.value(row) === null ? "" : set.text(row, narrow)),
        backgroundColor: rows.map(set.color), skipNull: true, barThickness: BAR, barPercentage: 0.8, minBarLength: 2
      }))
    },
    options: {
      indexAxis: "y", animation: false, maintainAspectRatio: false,
      layout: { padding: { right: narrow ? 84 : 130 } },
      scales: {
        x: { position: "top", beginAtZero: true, suggestedMax: measure.limit, title: { display: true, text: measure.unit },
          ticks: { maxTicksLimit: narrow ? 4 : 9 },
          grid: { lineWidth: line => line.tick?.value === measure.mark ? 2 : 1,
            color: line => color(line.tick?.value === measure.mark ? "faint" : "line") } },
        /* Where there is no room beside the bars, their names stand above them. */
        y: { grid: { display: false }, ticks: narrow
          ? { mirror: true, autoSkip: false, labelOffset: 8 - rowHeight(sets.length, true) / 2, padding: 2, z: 1, font: { size: 11 } }
          : { autoSkip: false, crossAlign: "far", font: { size: 12 } },
          afterFit: narrow ? axis => { axis.width = 6; } : undefined }
      },
      plugins: { legend: { display: false }, tooltip: { callbacks: {
        label: item => ` ${item.dataset.label}: ${sets[item.datasetIndex].text(rows[item.dataIndex], false)}`,
        afterBody: items => measure.more(rows[items[0].dataIndex]) } } }
    },
    plugins: [barLabels]
  };
}

const rowHeight = (sets, narrow) => BAR * sets + (narrow ? 34 : 9);

/* Bars of all rows, the first ones at once. The scale is that of all, so that charts below each other compare. */
function bars(rows, measure, few = FEW_ROWS) {
  const holder = element("div");
  const values = rows.flatMap(row => measure.sets.map(set => set.value(row) ?? 0));
  const scaled = { ...measure, limit: Math.max(measure.least ?? 0, ...values) };
  const add = (from, to) => {
    for (let at = from; at < to; at += CHUNK_ROWS) {
      const chunk = rows.slice(at, Math.min(to, at + CHUNK_ROWS));
      const sets = measure.sets.filter(set => chunk.some(row => set.value(row) !== null)).length;
      const height = chunk.length * rowHeight(sets, isNarrow(find("families").clientWidth)) + 44;
      holder.append(chart(`${many(chunk.length, "benchmark")}: ${measure.unit}, as in the table`, height,
        width => barConfiguration(chunk, scaled, width)));
    }
  };
  const first = rows.length > 1.5 * few ? few : rows.length;
  add(0, first);
  if (first < rows.length) holder.append(moreButton(rows.length, () => add(first, rows.length)));
  return holder;
}

function moreButton(count, show) {
  const button = element("button", { type: "button", className: "more", textContent: `Show all ${count}` });
  button.onclick = () => { button.remove(); show(); };
  return button;
}

/* ---- what is measured ---- */

function peerSets(rows, value, text) {
  return peersOf(rows).map(peer => ({
    label: peerText(peer), color: () => peerColor(peer),
    value: row => peer in row.peers ? value(row) * row.ms / row.peers[peer] : null,
    text: (row, narrow) => `${text(value(row) * row.ms / row.peers[peer])} ${narrow ? peer : peerText(peer)}`
  }));
}

const rowDetails = row => [
  `${timeText(row.ms)}, ${three(row.gbps)} GB/s, ${sizeText(row.bytes)} moved`,
  ...Object.entries(row.peers).map(([peer, ms]) => `${peerText(peer)}: ${timeText(ms)}, vkdml is ${three(ms / row.ms)} times as fast`),
  ...(row.peak && row.peak !== "copy" ? [`held to the ${row.peak} peak`] : [])];

const fullName = row => row.name.slice(0, row.name.lastIndexOf("/"));

/* full: names with their group. */
function ratioMeasure(rows, full) {
  return { unit: "ratio to the peak", mark: 1, least: 1, more: rowDetails,
    name: full ? fullName : row => row.label,
    sets: [{ label: "vkdml", color: row => color(`band${bandOf(row.ratio)}`), value: row => row.ratio,
      text: (row, narrow) => `${ratioText(row.ratio)}${narrow ? "" : `   ${timeText(row.ms)}`}` },
    ...peerSets(rows, row => row.ratio, ratioText)] };
}

function arithmeticMeasure(rows) {
  return { unit: "TFLOP/s", more: rowDetails, name: row => row.label,
    sets: [{ label: "vkdml", color: () => color("arithmetic"), value: row => row.tflops,
      text: (row, narrow) => `${three(row.tflops)}${narrow ? "" : `   ${timeText(row.ms)}`}` },
    ...peerSets(rows, row => row.tflops, three)] };
}

/* How fast vkdml is beside the fastest peer, whatever both wait for. */
function againstMeasure() {
  const fastest = row => Object.entries(row.peers).reduce((best, one) => one[1] < best[1] ? one : best);
  return { unit: "times as fast as the fastest peer", mark: 1, least: 1, more: rowDetails, name: fullName,
    sets: [{ label: "vkdml", color: () => color("plain"), value: against, text: (row, narrow) => narrow ? times(against(row))
      : `${times(against(row))}   ${timeText(row.ms)}, ${peerText(fastest(row)[0])} ${timeText(fastest(row)[1])}` }] };
}

/* ---- lines over sizes ---- */

const DASHES = [[], [6, 4], [2, 3], [8, 3, 2, 3], [1, 4], [12, 4]];
const POINTS = ["circle", "rect", "triangle", "rectRot", "crossRot", "star"];
const BORDERS = ["solid", "dashed", "dotted", "dashed", "dotted", "dashed"];

/* Without peers a benchmark's types are the lines of one chart; with them each type has its own, beside its peers. */
const lineKey = row => allPeers.length ? row.label : row.label.replace(new RegExp(`/${row.type}$`), "");
const lineNames = () => allPeers.length ? ["vkdml", ...allPeers.map(peerText)] : types;

function lineSets(rows) {
  const value = row => row.tflops ?? row.ratio;
  const at = (values, size) => values.find(row => row.size === size);
  const series = allPeers.length
    ? [["vkdml", value], ...allPeers.map(peer => [peerText(peer), row => peer in row.peers ? value(row) * row.ms / row.peers[peer] : null])]
    : types.map(type => [type, row => row.type === type ? value(row) : null]);
  return series.map(([label, get], index) => ({
    label, data: sizes.map(size => {
      const fitting = at(rows.filter(row => get(row) !== null), size);
      return fitting ? get(fitting) : null;
    }),
    borderColor: color(`line${index % 6}`), backgroundColor: color(`line${index % 6}`), borderWidth: 2,
    borderDash: allPeers.length ? DASHES[index % 6] : [], pointStyle: POINTS[index % 6], pointRadius: 4, spanGaps: true
  })).filter(set => set.data.some(point => point !== null));
}

function lineConfiguration(rows) {
  const isArithmetic = rows.some(row => row.tflops);
  return {
    type: "line",
    data: { labels: sizes.map(sizeText), datasets: lineSets(rows) },
    options: {
      animation: false, maintainAspectRatio: false, interaction: { mode: "index", intersect: false },
      scales: { y: { beginAtZero: true, suggestedMax: isArithmetic ? undefined : 1, ticks: { maxTicksLimit: 6 },
        title: { display: isArithmetic, text: "TFLOP/s" } },
      x: { grid: { display: false }, ticks: { maxRotation: 0, autoSkipPadding: 12 } } },
      plugins: { legend: { display: false }, tooltip: { callbacks: {
        label: item => ` ${item.dataset.label}: ${isArithmetic ? three(item.parsed.y) : ratioText(item.parsed.y)}` } } }
    }
  };
}

function lines(rows) {
  const grid = element("div", { className: "lines" });
  const worst = own => Math.min(...largest(own).map(row => row.tflops ?? row.ratio));
  const groups = [...groupBy(rows, lineKey)];
  if (state.order === "ratio") groups.sort(([, a], [, b]) => worst(a) - worst(b));
  const add = (from, to) => groups.slice(from, to).forEach(([key, own]) => grid.append(element("figure", {},
    element("figcaption", { textContent: key }),
    chart(`${key}: ratio by size, as in the table`, 0, () => lineConfiguration(own)))));
  const first = groups.length > 1.5 * FEW_LINES ? FEW_LINES : groups.length;
  add(0, first);
  const holder = element("div", {},
    legend(lineNames().map((text, i) => [`line${i % 6}`, text, allPeers.length ? BORDERS[i % 6] : "solid"])), grid);
  if (first < groups.length) holder.append(moreButton(groups.length, () => add(first, groups.length)));
  return holder;
}

/* ---- sections ---- */

function table(heads, rows) {
  return element("table", {}, element("thead", {}, element("tr", {}, ...heads.map(head => element("th", { textContent: head })))),
    element("tbody", {}, ...rows.map(cells => element("tr", {}, ...cells.map(cell => element("td", {}, cell))))));
}

/* Figures, made when they are looked at: of hundreds of rows they are most of the page's elements. */
function figures(text, make) {
  const details = element("details", { className: "figures" }, element("summary", { textContent: text }));
  details.addEventListener("toggle", () => details.open && details.childElementCount === 1 && details.append(make()));
  return details;
}

function rowTable(rows) {
  const peers = peersOf(rows);
  const arithmetic = rows.some(row => row.tflops), cases = rows.some(row => row.case);
  return table(["benchmark", "moved", "median", "10 %", "90 %", "GB/s", "ratio", "of", ...(arithmetic ? ["TFLOP/s"] : []),
    ...peers.flatMap(peer => [peerText(peer), "times as fast"]), ...(cases ? ["case"] : [])],
  rows.map(row => [row.name, sizeText(row.bytes), timeText(row.ms), row.ms_p10 ? timeText(row.ms_p10) : "",
    row.ms_p90 ? timeText(row.ms_p90) : "", three(row.gbps), row.ratio.toFixed(3), row.peak,
    ...(arithmetic ? [row.tflops ? three(row.tflops) : ""] : []),
    ...peers.flatMap(peer => peer in row.peers ? [timeText(row.peers[peer]), three(row.peers[peer] / row.ms)] : ["", ""]),
    ...(cases ? [element("code", { textContent: row.case ?? "" })] : [])]));
}

function familyFacts(rows) {
  const held = largest(rows).filter(row => !row.tflops).map(row => row.ratio);
  const compared = largest(rows).filter(hasPeer);
  return [many(rows.length, "benchmark"),
    ...(held.length ? [`worst ${ratioText(Math.min(...held))}${atLargest()}`, `median ${ratioText(middle(held))}`] : []),
    ...(compared.length ? [`${times(middle(compared.map(against)))} as fast as the fastest peer`] : [])];
}

function familySection(name, rows, open) {
  const section = element("details", { className: "family", id: `family-${name.replace(/\W/g, "-")}` },
    element("summary", {}, element("b", { textContent: name }), ...familyFacts(rows).map(text => element("span", { textContent: text }))));
  const fill = () => {
    if (!section.open || section.childElementCount > 1) return;
    const held = rows.filter(row => !row.tflops), arithmetic = rows.filter(row => row.tflops);
    if (showsSizes()) {
      section.append(lines(rows));
    } else {
      if (held.length) section.append(bars(held, ratioMeasure(held)));
      if (arithmetic.length) section.append(bars(arithmetic, arithmeticMeasure(arithmetic)));
    }
    section.append(figures(`Figures and cases of ${name}`, () => rowTable(rows)));
  };
  section.addEventListener("toggle", fill);
  section.open = open;
  fill();
  return section;
}

function chartSection(title, note, ...content) {
  return element("section", {}, element("h2", { textContent: title }), element("p", { className: "note", textContent: note }), ...content);
}

/* How many of each family are in each band; a click opens the family. */
function overviewConfiguration(families, width) {
  const parts = [...BANDS.map((_, band) => [`band${band}`, BAND_TEXTS[band], row => !row.tflops && bandOf(row.ratio) === band]),
    ["arithmetic", "arithmetic", row => row.tflops]];
  const counts = parts.map(([, , fits]) => families.map(([, rows]) => rows.filter(fits).length));
  return {
    type: "bar",
    data: { labels: families.map(([name, rows]) => `${name} (${rows.length})`), datasets: parts.map(([name, label], i) => ({
      label, data: counts[i].map((count, at) => 100 * count / families[at][1].length), backgroundColor: color(name),
      borderColor: color("page"), borderWidth: { right: 1 }, barThickness: 14 })).filter((_, i) => counts[i].some(Boolean)) },
    options: {
      indexAxis: "y", animation: false, maintainAspectRatio: false,
      onClick: (_, hits) => hits.length && openFamily(families[hits[0].index][0]),
      onHover: (event, hits) => { event.native.target.style.cursor = hits.length ? "pointer" : ""; },
      interaction: { mode: "y", intersect: false },
      scales: { x: { stacked: true, max: 100, display: false }, y: { stacked: true, grid: { display: false },
        ticks: { autoSkip: false, crossAlign: "far", font: { size: isNarrow(width) ? 10 : 12 } } } },
      plugins: { legend: { display: false }, tooltip: { filter: item => item.parsed.x > 0, callbacks: {
        label: item => ` ${item.dataset.label}: ${Math.round(item.parsed.x * families[item.dataIndex][1].length / 100)}` } } }
    }
  };
}

function openFamily(name) {
  const section = find(`family-${name.replace(/\W/g, "-")}`);
  section.open = true;
  section.scrollIntoView();
}

/* ---- summary ---- */

function tiles(rows) {
  const shown = largest(rows), held = shown.filter(row => !row.tflops), compared = shown.filter(hasPeer);
  const share = fits => `${held.filter(fits).length} of ${held.length}`;
  const told = [[String(rows.length), `benchmark${rows.length === 1 ? "" : "s"}${showsSizes() ? `; what follows is${atLargest()}` : ""}`]];
  if (held.length) {
    told.push([ratioText(middle(held.map(row => row.ratio))), "of the peak, by the median"],
      [share(row => row.ratio >= 0.9), "reach 0.9 of the peak"], [share(row => row.ratio < 0.5), "stay below 0.5"]);
  }
  if (compared.length) {
    told.push([`${compared.filter(row => against(row) >= 1).length} of ${compared.length}`, "are as fast as the fastest peer, or faster"],
      [times(middle(compared.map(against))), "as fast as the fastest peer, by the median"]);
  }
  find("tiles").replaceChildren(...told.map(([value, text]) => element("div", {},
    element("dt", { textContent: text }), element("dd", { textContent: value }))));
}

function about() {
  const { device, peaks } = data;
  const kernels = device.kernels ? `, ${device.kernels} kernels` : "";
  find("about").textContent = `${device.name ?? "an unknown device"}${kernels}; vkdml ${data.version}; times by the ` +
    `${data.timer === "host" ? "host's clock" : "device's timestamps"}.` + (peaks ? ` Peaks at ${sizeText(peaks.size)}: copy ` +
    `${three(peaks.copy_gbps)} GB/s, fill ${three(peaks.fill_gbps)} GB/s` +
    (peaks.read_gbps ? `, read ${three(peaks.read_gbps)} GB/s.` : ".") : "");
  if (!data.rows.length) return;
  const peers = Object.entries(data.peers).map(([peer, version]) => `${peerText(peer)} ${version}`).join(", ");
  find("key").append(element("p", { textContent: "Ratio: the bytes that must move, each input element once and each output byte " +
    "once, over the time, against what a copy of the same run reaches; where nothing is read, a fill; where hardly anything is " +
    "written, a read. Beyond 1 is what rereads a cache or moves less than it counts. A peer's bar is our ratio times how much faster " +
    "the peer is." }));
  if (data.rows.some(row => row.tflops)) {
    find("key").append(element("p", { textContent: "Benchmarks with more than 16 operations a byte wait for arithmetic, not for memory: " +
      "their bars are TFLOP/s, and no summary of ratios counts them." }));
  }
  if (peers) find("key").append(element("p", { textContent: `Peers: ${peers}.` }));
}

/* ---- filter and order ---- */

const state = { words: [], type: "", size: "", order: "ratio" };
const ORDERS = { ratio: ["worst ratio", (a, b) => (a.tflops ?? a.ratio) - (b.tflops ?? b.ratio)],
  peers: ["slowest against peers", (a, b) => (hasPeer(a) ? against(a) : Infinity) - (hasPeer(b) ? against(b) : Infinity) || 0],
  time: ["longest time", (a, b) => b.ms - a.ms], name: ["name", (a, b) => a.name.localeCompare(b.name)] };

/* Words as `vkdml bench --filter` has them: a part, or a pattern where there is a *. */
const wordFits = word => word.includes("*")
  ? (pattern => text => pattern.test(text))(new RegExp(word.split("*").map(part => part.replace(/[^\w]/g, "\\$&")).join(".*")))
  : text => text.includes(word);

function chosenRows() {
  const fits = state.words.map(wordFits);
  return data.rows.filter(row => (!state.type || row.type === state.type) && (!state.size || row.size === +state.size) &&
    fits.every(fit => fit(row.searched))).sort(ORDERS[state.order][1]);
}

function overviewSections(rows, families) {
  if (families.length < 2) return [];
  const held = rows.filter(row => !row.tflops);
  const behind = rows.filter(row => hasPeer(row) && against(row) < 0.95).sort(ORDERS.peers[1]);
  const sections = [chartSection(`By family${atLargest()}`,
    "The share of each family's benchmarks by their ratio; a click opens the family.",
    chart("the share of each family's benchmarks by ratio, as in the sections", families.length * 19 + 12,
      width => overviewConfiguration(families, width)))];
  if (held.length > 12) {
    const worst = [...held].sort(ORDERS.ratio[1]).slice(0, 12);
    sections.push(chartSection(`The lowest ratios${atLargest()}`, "Of all that are shown.", bars(worst, ratioMeasure(worst, true))));
  }
  if (behind.length) {
    sections.push(chartSection(`Where a peer is faster${atLargest()} (${behind.length})`, "By more than 5 %; the furthest first.",
      bars(behind, againstMeasure(), 12)));
  }
  return sections;
}

/* What the colours mean that are seen. */
function barLegend(rows) {
  return legend([...BANDS.map((_, band) => [`band${band}`, BAND_TEXTS[band]]),
    ...(rows.some(row => row.tflops) ? [["arithmetic", "waits for arithmetic"]] : []),
    ...(showsSizes() ? [] : peersOf(rows).map(peer => [`peer${allPeers.indexOf(peer) % 5}`, peerText(peer)]))]);
}

const familiesOf = rows => [...groupBy(rows, row => row.family)].sort(([, a], [, b]) =>
  middle(a.map(row => row.tflops ? 2 : row.ratio)) - middle(b.map(row => row.tflops ? 2 : row.ratio)));

function update() {
  forgetCharts();
  const rows = chosenRows(), families = familiesOf(rows);
  /* Whoever looks for something sees it at once. */
  const open = families.length <= 3 || (state.words.length > 0 && rows.length <= 60);
  find("count").textContent = rows.length === data.rows.length ? many(rows.length, "benchmark") : `${rows.length} of ${many(data.rows.length, "benchmark")}`;
  tiles(rows);
  find("bands").replaceChildren(...(showsSizes() && families.length < 2 ? [] : [barLegend(rows)]));
  find("charts").replaceChildren(...overviewSections(largest(rows), familiesOf(largest(rows))));
  find("families").replaceChildren(...(families.length ? [element("h2", { textContent: "Benchmarks" })] : []),
    ...families.map(([name, own]) => familySection(name, own, open)));
}

/* ---- latency and the host's costs ---- */

function latencySection(rows) {
  const name = row => row.name, sorted = [...rows].sort((a, b) => b.ratio - a.ratio);
  const measure = { unit: "µs", name, more: row => [`${three(row.ratio)} times as long`], sets: [
    { label: "vkdml", color: () => color("plain"), value: row => row.us, text: row => `${three(row.us)} µs` },
    { label: "empty dispatch and bytes", color: () => color("peer0"), value: row => row.us / row.ratio,
      text: row => `${three(row.us / row.ratio)} µs` }] };
  return chartSection("Latency", "Small operators, beside an empty dispatch and what their bytes take at the peak; the furthest from it first.",
    legend([["plain", "vkdml"], ["peer0", "an empty dispatch, and the bytes at the peak"]]), bars(sorted, measure),
    figures("Figures of latency", () => columns(sorted)));
}

function hostSection(rows) {
  const sorted = [...rows].sort((a, b) => b.record_us - a.record_us);
  const measure = { unit: "µs", name: row => row.name, more: () => [], sets: [
    { label: "vkdml", color: () => color("plain"), value: row => row.record_us, text: row => `${three(row.record_us)} µs` },
    { label: "the same commands without vkdml", color: () => color("peer0"), value: row => row.raw_us,
      text: row => `${three(row.raw_us)} µs` }] };
  return chartSection("The host's costs", "Recording an operator, its bindings unchanged; the longest first.",
    legend([["plain", "vkdml"], ["peer0", "the same Vulkan commands without vkdml"]]), bars(sorted, measure),
    figures("Figures of the host's costs", () => columns(sorted)));
}

function columns(rows) {
  const fields = Object.keys(rows[0]);
  return table(fields, rows.map(row => fields.map(field => typeof row[field] === "number" ? three(row[field]) : row[field] ?? "")));
}

/* ---- start ---- */

function choices(select, entries) {
  select.replaceChildren(...entries.map(([value, text]) => element("option", { value, textContent: text })));
}

function listen() {
  let waiting = 0;
  find("search").oninput = event => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      state.words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
      update();
    }, 120);
  };
  for (const id of ["type", "size", "order"]) {
    find(id).onchange = event => { state[id] = event.target.value; update(); };
  }
  find("tools").onsubmit = event => event.preventDefault();
  const redraw = () => [...drawings.keys()].filter(holder => Chart.getChart(holder.firstChild)).forEach(draw);
  matchMedia("(prefers-color-scheme: dark)").onchange = redraw;
  let width = innerWidth;
  addEventListener("resize", () => {
    if (isNarrow(width) !== isNarrow(innerWidth)) update();
    width = innerWidth;
  });
}

function start() {
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  for (const row of data.rows) row.searched = `${row.name} ${row.peak} ${row.family}`.toLowerCase();
  about();
  if (data.rows.length) {
    choices(find("type"), [["", "all"], ...types.map(type => [type, type])]);
    choices(find("size"), [["", "all"], ...sizes.map(size => [size, sizeText(size)])]);
    choices(find("order"), Object.entries(ORDERS).filter(([key]) => key !== "peers" || allPeers.length).map(([key, [text]]) => [key, text]));
    find("type-label").hidden = types.length < 2;
    find("size-label").hidden = sizes.length < 2;
    listen();
    update();
  } else {
    find("tools").hidden = find("summary").hidden = true;
  }
  if (!data.rows.length && !data.latency.length && !data.host.length) {
    find("charts").append(element("p", { textContent: "This run holds no results." }));
  }
  if (data.latency.length) find("families").append(latencySection(data.latency));
  if (data.host.length) find("families").append(hostSection(data.host));
}

start();
})();
