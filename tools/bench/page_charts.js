/* The charts of the page that tools/bench/page.py makes, drawn with Chart.js. page.js, which follows in the same
 * scope, says where they stand and of what. */

const data = JSON.parse(document.getElementById("data").textContent);
const find = id => document.getElementById(id);

/* Bands of the ratio, from the worst: each begins at its number. */
const BANDS = [0, 0.25, 0.5, 0.75, 0.9];
const BAND_TEXTS = ["below 0.25", "0.25 to 0.5", "0.5 to 0.75", "0.75 to 0.9", "0.9 and more"];
const FEW_ROWS = 20; /* drawn of a section before one asks for more */
const CHUNK_ROWS = 40; /* in one canvas: browsers limit its height */
const BAR = 14; /* pixels, that labels of 11 do not touch */
const FEW_LINES = 12; /* charts of lines drawn before one asks for more */

const bandOf = ratio => BANDS.findLastIndex(begin => ratio >= begin);
const peersOf = rows => [...new Set(rows.flatMap(row => Object.keys(row.peers)))].sort();
const allPeers = peersOf(data.rows);
const sizes = [...new Set(data.rows.map(row => row.size))].sort((a, b) => a - b);
const types = [...new Set(data.rows.map(row => row.type))].sort();

function groupBy(rows, keyOf) {
    const groups = new Map();
    for (const row of rows) {
        const key = keyOf(row);
        if (!groups.has(key)) groups.set(key, []);
        groups.get(key).push(row);
    }
    return groups;
}

/* ---- words ---- */

const sizeText = bytes => {
    const units = ["B", "KiB", "MiB", "GiB"];
    let unit = 0;
    for (; bytes >= 1024 && unit < 3; unit++) bytes /= 1024;
    return `${+bytes.toFixed(1)} ${units[unit]}`;
};
const three = value => (value >= 999.5 ? value.toFixed(0) : String(+value.toPrecision(3)));
/* Numbers of operations and of bytes a second in the unit that fits them. */
const FLOPS = [
    [1, "TFLOP/s"],
    [1e3, "GFLOP/s"],
    [1e6, "MFLOP/s"],
];
const unitOf = tflops => FLOPS.find(([factor]) => tflops * factor >= 1) ?? FLOPS[2];
const flopsText = tflops => `${three(tflops * unitOf(tflops)[0])} ${unitOf(tflops)[1]}`;
const speedText = gbps => (gbps >= 1 ? `${three(gbps)} GB/s` : `${three(gbps * 1e3)} MB/s`);
const timeText = ms => (ms < 0.001 ? `${three(ms * 1e6)} ns` : ms < 1 ? `${three(ms * 1e3)} µs` : `${three(ms)} ms`);
const ratioText = ratio => (ratio < 0.1 ? ratio.toFixed(3) : ratio.toFixed(2));
const times = factor => `${factor < 9.995 ? factor.toFixed(2) : three(factor)} ×`;
const PEER_NAMES = { torch: "PyTorch", "torch-cpu": "PyTorch on the CPU", cupy: "CuPy", numpy: "NumPy", cub: "CUB" };
const peerText = peer => PEER_NAMES[peer] ?? peer;
const many = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

const middle = values => {
    const sorted = [...values].sort((a, b) => a - b);
    const half = sorted.length >> 1;
    return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
};
/* How many times as fast as the fastest peer; NaN: nothing to compare with. */
const against = row => Math.min(...Object.values(row.peers)) / row.ms;
const hasPeer = row => Object.keys(row.peers).length > 0;

/* Where several sizes are shown, summaries are of the largest: small ones wait for the dispatch, not for memory. */
const showsSizes = () => state.size === "" && sizes.length > 1;
const largest = rows => (showsSizes() ? rows.filter(row => row.size === sizes.at(-1)) : rows);
const atLargest = () => (showsSizes() ? ` at ${sizeText(sizes.at(-1))}` : "");

/* ---- elements ---- */

function element(tag, properties = {}, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
}

const color = name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const peerColor = peer => color(`peer${allPeers.indexOf(peer) % 5}`);

function legend(entries) {
    return element(
        "ul",
        { className: "legend" },
        ...entries.map(([name, text, dash]) => {
            const mark = element("i", dash === undefined ? {} : { className: "stroke" });
            mark.style[dash === undefined ? "background" : "borderColor"] = `var(--${name})`;
            if (dash !== undefined) mark.style.borderTopStyle = dash;
            return element("li", {}, mark, text);
        }),
    );
}

/* ---- charts ---- */

/* A canvas is drawn when it comes near the window, and again when the colours change. */
const drawings = new Map();
const watcher = new IntersectionObserver(
    entries =>
        entries
            .filter(entry => entry.isIntersecting)
            .forEach(entry => {
                watcher.unobserve(entry.target);
                draw(entry.target);
            }),
    { rootMargin: "600px" },
);

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
        drawn.data.datasets.forEach((set, index) =>
            drawn.getDatasetMeta(index).data.forEach((bar, i) => {
                if (set.data[i] !== null && set.labels) {
                    /* A rim in the page's colour keeps grid lines off the letters. */
                    ctx.strokeText(set.labels[i], bar.x + 4, bar.y);
                    ctx.fillStyle = color(index ? "faint" : "text");
                    ctx.fillText(set.labels[i], bar.x + 4, bar.y);
                }
            }),
        );
        ctx.restore();
    },
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
                label: set.label,
                data: rows.map(set.value),
                labels: rows.map(row => (set.value(row) === null ? "" : set.text(row, narrow))),
                backgroundColor: rows.map(set.color),
                skipNull: true,
                barThickness: BAR,
                barPercentage: 0.8,
                minBarLength: 2,
            })),
        },
        options: {
            indexAxis: "y",
            animation: false,
            maintainAspectRatio: false,
            layout: { padding: { right: narrow ? 84 : 130 } },
            scales: {
                x: {
                    position: "top",
                    beginAtZero: true,
                    suggestedMax: measure.limit,
                    title: { display: true, text: measure.unit },
                    ticks: { maxTicksLimit: narrow ? 4 : 9 },
                    grid: {
                        lineWidth: line => (line.tick?.value === measure.mark ? 2 : 1),
                        color: line => color(line.tick?.value === measure.mark ? "faint" : "line"),
                    },
                },
                /* Where there is no room beside the bars, their names stand above them. */
                y: {
                    grid: { display: false },
                    ticks: narrow
                        ? {
                              mirror: true,
                              autoSkip: false,
                              labelOffset: 8 - rowHeight(sets.length, true) / 2,
                              padding: 2,
                              z: 1,
                              font: { size: 11 },
                          }
                        : { autoSkip: false, crossAlign: "far", font: { size: 12 } },
                    afterFit: narrow
                        ? axis => {
                              axis.width = 6;
                          }
                        : undefined,
                },
            },
            plugins: {
                legend: { display: false },
                tooltip: {
                    callbacks: {
                        label: item => ` ${item.dataset.label}: ${three(item.parsed.x)}`,
                        afterBody: items => measure.more(rows[items[0].dataIndex]),
                    },
                },
            },
        },
        plugins: [barLabels],
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
            holder.append(
                chart(`${many(chunk.length, "benchmark")}: ${measure.unit}, as in the table`, height, width =>
                    barConfiguration(chunk, scaled, width),
                ),
            );
        }
    };
    const first = rows.length > 1.5 * few ? few : rows.length;
    add(0, first);
    if (first < rows.length) holder.append(moreButton(rows.length, () => add(first, rows.length)));
    return holder;
}

function moreButton(count, show) {
    const button = element("button", { type: "button", className: "more", textContent: `Show all ${count}` });
    button.onclick = () => {
        button.remove();
        show();
    };
    return button;
}

/* ---- what is measured ---- */

function peerSets(rows, value, text) {
    return peersOf(rows).map(peer => ({
        label: peerText(peer),
        color: () => peerColor(peer),
        value: row => (peer in row.peers ? (value(row) * row.ms) / row.peers[peer] : null),
        text: (row, narrow) => `${text((value(row) * row.ms) / row.peers[peer])} ${narrow ? peer : peerText(peer)}`,
    }));
}

const rowDetails = row => [
    `${timeText(row.ms)}, ${speedText(row.gbps)}, ${sizeText(row.bytes)} moved`,
    ...(row.small ? ["too small for a ratio: this is mostly what a dispatch takes"] : []),
    ...Object.entries(row.peers).map(
        ([peer, ms]) => `${peerText(peer)}: ${timeText(ms)}, vkdml is ${three(ms / row.ms)} times as fast`,
    ),
    ...(row.peak && row.peak !== "copy" ? [`held to the ${row.peak} peak`] : []),
];

const fullName = row => row.name.slice(0, row.name.lastIndexOf("/"));

/* full: names with their group. */
function ratioMeasure(rows, full) {
    return {
        unit: "ratio to the peak",
        mark: 1,
        least: 1,
        more: rowDetails,
        name: full ? fullName : row => row.label,
        sets: [
            {
                label: "vkdml",
                color: row => color(row.small ? "small" : `band${bandOf(row.ratio)}`),
                value: row => row.ratio,
                text: (row, narrow) =>
                    `${row.small ? `(${ratioText(row.ratio)})` : ratioText(row.ratio)}${narrow ? "" : `   ${timeText(row.ms)}`}`,
            },
            ...peerSets(rows, row => row.ratio, ratioText),
        ],
    };
}

function arithmeticMeasure(rows) {
    const [factor, unit] = unitOf(Math.max(...rows.map(row => row.tflops)));
    return {
        unit,
        more: rowDetails,
        name: row => row.label,
        sets: [
            {
                label: "vkdml",
                color: () => color("arithmetic"),
                value: row => row.tflops * factor,
                text: (row, narrow) => `${three(row.tflops * factor)}${narrow ? "" : `   ${timeText(row.ms)}`}`,
            },
            ...peerSets(rows, row => row.tflops * factor, three),
        ],
    };
}

/* How fast vkdml is beside the fastest peer, whatever both wait for. */
function againstMeasure() {
    const fastest = row => Object.entries(row.peers).reduce((best, one) => (one[1] < best[1] ? one : best));
    return {
        unit: "times as fast as the fastest peer",
        mark: 1,
        least: 1,
        more: rowDetails,
        name: fullName,
        sets: [
            {
                label: "vkdml",
                color: () => color("plain"),
                value: against,
                text: (row, narrow) =>
                    narrow
                        ? times(against(row))
                        : `${times(against(row))}   ${timeText(row.ms)}, ${peerText(fastest(row)[0])} ${timeText(fastest(row)[1])}`,
            },
        ],
    };
}

/* ---- lines over sizes ---- */

const DASHES = [[], [6, 4], [2, 3], [8, 3, 2, 3], [1, 4], [12, 4]];
const POINTS = ["circle", "rect", "triangle", "rectRot", "crossRot", "star"];
const BORDERS = ["solid", "dashed", "dotted", "dashed", "dotted", "dashed"];

/* Without peers a benchmark's types are the lines of one chart; with them each type has its own, beside its peers. */
const lineKey = row => (allPeers.length ? row.label : row.label.replace(new RegExp(`/${row.type}$`), ""));
const lineNames = () => (allPeers.length ? ["vkdml", ...allPeers.map(peerText)] : types);

function lineSets(rows, factor) {
    const value = row => (row.tflops ? row.tflops * factor : row.ratio);
    const at = (values, size) => values.find(row => row.size === size);
    const series = allPeers.length
        ? [
              ["vkdml", value],
              ...allPeers.map(peer => [
                  peerText(peer),
                  row => (peer in row.peers ? (value(row) * row.ms) / row.peers[peer] : null),
              ]),
          ]
        : types.map(type => [type, row => (row.type === type ? value(row) : null)]);
    return series
        .map(([label, get], index) => ({
            label,
            data: sizes.map(size => {
                const fitting = at(
                    rows.filter(row => get(row) !== null),
                    size,
                );
                return fitting ? get(fitting) : null;
            }),
            borderColor: color(`line${index % 6}`),
            backgroundColor: color(`line${index % 6}`),
            borderWidth: 2,
            borderDash: allPeers.length ? DASHES[index % 6] : [],
            pointStyle: POINTS[index % 6],
            pointRadius: 4,
            spanGaps: true,
        }))
        .filter(set => set.data.some(point => point !== null));
}

function lineConfiguration(rows) {
    const isArithmetic = rows.some(row => row.tflops);
    const [factor, unit] = unitOf(Math.max(...rows.map(row => row.tflops ?? 0)));
    return {
        type: "line",
        data: { labels: sizes.map(sizeText), datasets: lineSets(rows, factor) },
        options: {
            animation: false,
            maintainAspectRatio: false,
            interaction: { mode: "index", intersect: false },
            scales: {
                y: {
                    beginAtZero: true,
                    suggestedMax: isArithmetic ? undefined : 1,
                    ticks: { maxTicksLimit: 6 },
                    title: { display: isArithmetic, text: unit },
                },
                x: { grid: { display: false }, ticks: { maxRotation: 0, autoSkipPadding: 12 } },
            },
            plugins: {
                legend: { display: false },
                tooltip: {
                    callbacks: {
                        label: item =>
                            ` ${item.dataset.label}: ${isArithmetic ? three(item.parsed.y) : ratioText(item.parsed.y)}`,
                    },
                },
            },
        },
    };
}

function lines(rows) {
    const grid = element("div", { className: "lines" });
    const worst = own => Math.min(...largest(own).map(row => row.tflops ?? row.ratio));
    const groups = [...groupBy(rows, lineKey)];
    if (state.order === "ratio") groups.sort(([, a], [, b]) => worst(a) - worst(b));
    const add = (from, to) =>
        groups.slice(from, to).forEach(([key, own]) =>
            grid.append(
                element(
                    "figure",
                    {},
                    element("figcaption", { textContent: key }),
                    chart(`${key}: ratio by size, as in the table`, 0, () => lineConfiguration(own)),
                ),
            ),
        );
    const first = groups.length > 1.5 * FEW_LINES ? FEW_LINES : groups.length;
    add(0, first);
    const holder = element(
        "div",
        {},
        legend(lineNames().map((text, i) => [`line${i % 6}`, text, allPeers.length ? BORDERS[i % 6] : "solid"])),
        grid,
    );
    if (first < groups.length) holder.append(moreButton(groups.length, () => add(first, groups.length)));
    return holder;
}
