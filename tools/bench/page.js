/* The page that tools/bench/page.py makes: its summary, its sections, what is searched. page_charts.js comes
 * before it, in the same scope. */

/* ---- sections ---- */

function table(heads, rows) {
    return element(
        "table",
        {},
        element("thead", {}, element("tr", {}, ...heads.map(head => element("th", { textContent: head })))),
        element("tbody", {}, ...rows.map(cells => element("tr", {}, ...cells.map(cell => element("td", {}, cell))))),
    );
}

/* Figures, made when they are looked at: of hundreds of rows they are most of the page's elements. */
function figures(text, make) {
    const details = element("details", { className: "figures" }, element("summary", { textContent: text }));
    details.addEventListener("toggle", () => details.open && details.childElementCount === 1 && details.append(make()));
    return details;
}

function rowTable(rows) {
    const peers = peersOf(rows);
    const arithmetic = rows.some(row => row.tflops),
        cases = rows.some(row => row.case);
    return table(
        [
            "benchmark",
            "moved",
            "median",
            "10 %",
            "90 %",
            "speed",
            "ratio",
            "of",
            ...(arithmetic ? ["arithmetic"] : []),
            ...peers.flatMap(peer => [peerText(peer), "times as fast"]),
            ...(cases ? ["case"] : []),
        ],
        rows.map(row => [
            row.name,
            sizeText(row.bytes),
            timeText(row.ms),
            row.ms_p10 ? timeText(row.ms_p10) : "",
            row.ms_p90 ? timeText(row.ms_p90) : "",
            speedText(row.gbps),
            row.small ? `(${row.ratio.toFixed(3)}) small` : row.ratio.toFixed(3),
            row.peak,
            ...(arithmetic ? [row.tflops ? flopsText(row.tflops) : ""] : []),
            ...peers.flatMap(peer =>
                peer in row.peers ? [timeText(row.peers[peer]), three(row.peers[peer] / row.ms)] : ["", ""],
            ),
            ...(cases ? [element("code", { textContent: row.case ?? "" })] : []),
        ]),
    );
}

/* Whether its ratio says something. */
const isHeld = row => !row.tflops && !row.small;

function familyFacts(rows) {
    const held = largest(rows)
        .filter(isHeld)
        .map(row => row.ratio);
    const compared = largest(rows).filter(hasPeer);
    return [
        many(rows.length, "benchmark"),
        ...(held.length
            ? [`worst ${ratioText(Math.min(...held))}${atLargest()}`, `median ${ratioText(middle(held))}`]
            : []),
        ...(compared.length ? [`${times(middle(compared.map(against)))} as fast as the fastest peer`] : []),
    ];
}

/* Families that were closed stay so, whatever is searched. */
const closed = new Set();

function familySection(name, rows) {
    const section = element(
        "details",
        { className: "family", id: `family-${name.replace(/\W/g, "-")}` },
        element(
            "summary",
            {},
            element("b", { textContent: name }),
            ...familyFacts(rows).map(text => element("span", { textContent: text })),
        ),
    );
    const fill = () => {
        if (!section.open || section.childElementCount > 1) return;
        const held = rows.filter(row => !row.tflops),
            arithmetic = rows.filter(row => row.tflops);
        if (showsSizes()) {
            section.append(lines(rows));
        } else {
            if (held.length) section.append(bars(held, ratioMeasure(held)));
            if (arithmetic.length) section.append(bars(arithmetic, arithmeticMeasure(arithmetic)));
        }
        section.append(figures(`Figures and cases of ${name}`, () => rowTable(rows)));
    };
    section.addEventListener("toggle", () => {
        if (section.open) closed.delete(name);
        else closed.add(name);
        fill();
    });
    section.open = !closed.has(name);
    fill();
    return section;
}

function chartSection(title, note, ...content) {
    return element(
        "section",
        {},
        element("h2", { textContent: title }),
        element("p", { className: "note", textContent: note }),
        ...content,
    );
}

/* How many of each family are in each band; a click opens the family. */
function overviewConfiguration(families, width) {
    const parts = [
        ...BANDS.map((_, band) => [`band${band}`, BAND_TEXTS[band], row => isHeld(row) && bandOf(row.ratio) === band]),
        ["small", "too small for a ratio", row => row.small],
        ["arithmetic", "arithmetic", row => row.tflops],
    ];
    const counts = parts.map(([, , fits]) => families.map(([, rows]) => rows.filter(fits).length));
    return {
        type: "bar",
        data: {
            labels: families.map(([name, rows]) => `${name} (${rows.length})`),
            datasets: parts
                .map(([name, label], i) => ({
                    label,
                    data: counts[i].map((count, at) => (100 * count) / families[at][1].length),
                    backgroundColor: color(name),
                    borderColor: color("page"),
                    borderWidth: { right: 1 },
                    barThickness: 13,
                }))
                .filter((_, i) => counts[i].some(Boolean)),
        },
        options: {
            indexAxis: "y",
            animation: false,
            maintainAspectRatio: false,
            onClick: (_, hits) => hits.length && openFamily(families[hits[0].index][0]),
            onHover: (event, hits) => {
                event.native.target.style.cursor = hits.length ? "pointer" : "";
            },
            interaction: { mode: "y", intersect: false },
            scales: {
                x: { stacked: true, max: 100, display: false },
                y: {
                    stacked: true,
                    grid: { display: false },
                    ticks: { autoSkip: false, crossAlign: "far", font: { size: isNarrow(width) ? 10 : 12 } },
                },
            },
            plugins: {
                legend: { display: false },
                tooltip: {
                    filter: item => item.parsed.x > 0,
                    callbacks: {
                        label: item =>
                            ` ${item.dataset.label}: ${Math.round((item.parsed.x * families[item.dataIndex][1].length) / 100)}`,
                    },
                },
            },
        },
    };
}

function openFamily(name) {
    const section = find(`family-${name.replace(/\W/g, "-")}`);
    section.open = true;
    section.scrollIntoView();
}

/* ---- summary ---- */

function tiles(rows) {
    const shown = largest(rows),
        held = shown.filter(isHeld),
        small = shown.filter(row => row.small),
        compared = shown.filter(hasPeer);
    const share = fits => `${held.filter(fits).length} of ${held.length}`;
    const told = [
        [
            String(rows.length),
            `benchmark${rows.length === 1 ? "" : "s"}${showsSizes() ? `; what follows is${atLargest()}` : ""}`,
        ],
    ];
    if (held.length) {
        told.push(
            [ratioText(middle(held.map(row => row.ratio))), "of the peak, by the median"],
            [share(row => row.ratio >= 0.9), "reach 0.9 of the peak"],
            [share(row => row.ratio < 0.5), "stay below 0.5"],
        );
    }
    if (small.length) told.push([String(small.length), `${small.length === 1 ? "is" : "are"} too small for a ratio`]);
    if (compared.length) {
        told.push(
            [
                `${compared.filter(row => against(row) >= 1).length} of ${compared.length}`,
                "are as fast as the fastest peer, or faster",
            ],
            [times(middle(compared.map(against))), "as fast as the fastest peer, by the median"],
        );
    }
    find("tiles").replaceChildren(
        ...told.map(([value, text]) =>
            element("div", {}, element("dt", { textContent: text }), element("dd", { textContent: value })),
        ),
    );
}

/* What one must know to believe a figure. Earlier runs have not all of it. */
function facts() {
    const { device, machine, peaks } = data;
    const date = data.date && new Date(data.date);
    return [
        ["Device", `${device.name ?? "unknown"}${device.kernels ? `, ${device.kernels} kernels` : ""}`],
        ["Driver", [device.driver, device.vulkan && `Vulkan ${device.vulkan}`].filter(Boolean).join("; ")],
        [
            "Host",
            [machine.processor, machine.processors && many(machine.processors, "processor"), machine.system]
                .filter(Boolean)
                .join("; "),
        ],
        ["Date", date && !isNaN(date) ? `${date.toISOString().slice(0, 16).replace("T", " ")} UTC` : ""],
        ["Sizes", sizes.map(sizeText).join(", ")],
        [
            "Peaks",
            peaks
                ? [
                      `at ${sizeText(peaks.size)}: copy ${speedText(peaks.copy_gbps)}`,
                      `fill ${speedText(peaks.fill_gbps)}`,
                      ...(peaks.read_gbps ? [`read ${speedText(peaks.read_gbps)}`] : []),
                  ].join(", ")
                : "",
        ],
        ["Times", `by the ${data.timer === "host" ? "host's clock" : "device's timestamps"}; vkdml ${data.version}`],
    ];
}

function about() {
    find("about").replaceChildren(
        ...facts()
            .flatMap(([name, text]) => [
                element("dt", { textContent: name }),
                element("dd", { textContent: text || "not recorded" }),
            ]),
    );
    if (!data.rows.length) return;
    const peers = Object.entries(data.peers)
        .map(([peer, version]) => `${peerText(peer)} ${version}`)
        .join(", ");
    find("key").append(
        element("p", {
            textContent:
                "Ratio: the bytes that must move, each input element once and each output byte once, over the time, " +
                "against what a copy of the same run reaches; where nothing is read, a fill; where hardly anything " +
                "is written, a read. Beyond 1 is what finds bytes in a cache that it counts as moved. A peer's bar is " +
                "our ratio times how much faster the peer is.",
        }),
    );
    if (data.rows.some(row => row.small)) {
        find("key").append(
            element("p", {
                textContent:
                    `What moves less than ${sizeText(data.small)}, or is held to a peak of less, is mostly the dispatch ` +
                    "itself. Its ratio says nothing, stands in brackets and is counted nowhere; vkdml bench --latency is " +
                    "for such sizes.",
            }),
        );
    }
    if (data.rows.some(row => row.tflops)) {
        find("key").append(
            element("p", {
                textContent:
                    "Benchmarks with more than 16 operations a byte wait for arithmetic, not for memory: " +
                    "their bars are operations a second, and no summary of ratios counts them.",
            }),
        );
    }
    if (peers) find("key").append(element("p", { textContent: `Peers: ${peers}.` }));
}

/* ---- filter and order ---- */

const state = { words: [], type: "", size: "", order: "ratio" };
const ORDERS = {
    /* What is too small for a ratio comes last. */
    ratio: ["worst ratio", (a, b) => !!a.small - !!b.small || (a.tflops ?? a.ratio) - (b.tflops ?? b.ratio)],
    peers: [
        "slowest against peers",
        (a, b) => (hasPeer(a) ? against(a) : Infinity) - (hasPeer(b) ? against(b) : Infinity) || 0,
    ],
    time: ["longest time", (a, b) => b.ms - a.ms],
    name: ["name", (a, b) => a.name.localeCompare(b.name)],
};

/* Words as `vkdml bench --filter` has them: a part, or a pattern where there is a *. */
const wordFits = word =>
    word.includes("*")
        ? (
              pattern => text =>
                  pattern.test(text)
          )(
              new RegExp(
                  word
                      .split("*")
                      .map(part => part.replace(/[^\w]/g, "\\$&"))
                      .join(".*"),
              ),
          )
        : text => text.includes(word);

function searched(rows) {
    const fits = state.words.map(wordFits);
    return rows.filter(row => fits.every(fit => fit(row.searched)));
}

function chosenRows() {
    return searched(data.rows)
        .filter(row => (!state.type || row.type === state.type) && (!state.size || row.size === +state.size))
        .sort(ORDERS[state.order][1]);
}

function overviewSections(rows, families) {
    if (families.length < 2) return [];
    const held = rows.filter(isHeld);
    const behind = rows.filter(row => hasPeer(row) && against(row) < 0.95).sort(ORDERS.peers[1]);
    const sections = [
        chartSection(
            `By family${atLargest()}`,
            "The share of each family's benchmarks by their ratio; a click opens the family.",
            chart(
                "the share of each family's benchmarks by ratio, as in the sections",
                families.length * 19 + 16,
                width => overviewConfiguration(families, width),
            ),
        ),
    ];
    if (held.length > 12) {
        const worst = [...held].sort(ORDERS.ratio[1]).slice(0, 12);
        sections.push(
            chartSection(
                `The lowest ratios${atLargest()}`,
                "Of all that are shown.",
                bars(worst, ratioMeasure(worst, true)),
            ),
        );
    }
    if (behind.length) {
        sections.push(
            chartSection(
                `Where a peer is faster${atLargest()} (${behind.length})`,
                "By more than 5 %; the furthest first.",
                bars(behind, againstMeasure(), 12),
            ),
        );
    }
    return sections;
}

/* What the colours mean that are seen. */
function barLegend(rows) {
    return legend([
        ...BANDS.map((_, band) => [`band${band}`, BAND_TEXTS[band]]),
        ...(rows.some(row => row.small) ? [["small", "too small for a ratio"]] : []),
        ...(rows.some(row => row.tflops) ? [["arithmetic", "waits for arithmetic"]] : []),
        ...(showsSizes() ? [] : peersOf(rows).map(peer => [`peer${allPeers.indexOf(peer) % 5}`, peerText(peer)])),
    ]);
}

const familiesOf = rows =>
    [...groupBy(rows, row => row.family)].sort(
        ([, a], [, b]) =>
            middle(a.map(row => (isHeld(row) ? row.ratio : 2))) - middle(b.map(row => (isHeld(row) ? row.ratio : 2))),
    );

function update() {
    forgetCharts();
    if (data.rows.length) updateResults();
    const latency = searched(data.latency),
        host = searched(data.host);
    find("small").replaceChildren(
        ...(latency.length ? [latencySection(latency)] : []),
        ...(host.length ? [hostSection(host)] : []),
    );
}

function updateResults() {
    const rows = chosenRows(),
        families = familiesOf(rows);
    find("count").textContent =
        rows.length === data.rows.length
            ? many(rows.length, "benchmark")
            : `${rows.length} of ${many(data.rows.length, "benchmark")}`;
    tiles(rows);
    find("bands").replaceChildren(...(showsSizes() && families.length < 2 ? [] : [barLegend(rows)]));
    find("charts").replaceChildren(...overviewSections(largest(rows), familiesOf(largest(rows))));
    find("families").replaceChildren(
        ...(families.length ? [element("h2", { textContent: "Benchmarks" })] : []),
        ...families.map(([name, own]) => familySection(name, own)),
    );
}

/* ---- latency and the host's costs ---- */

function latencySection(rows) {
    const sorted = [...rows].sort((a, b) => b.ratio - a.ratio);
    const measure = {
        unit: "times as long as an empty dispatch and its bytes at the peak",
        mark: 1,
        least: 1,
        name: row => row.name,
        more: row => [`an empty dispatch takes ${timeText(row.empty_us / 1e3)}`],
        sets: [
            {
                label: "vkdml",
                color: () => color("plain"),
                value: row => row.ratio,
                text: row => `${three(row.ratio)} ×   ${timeText(row.us / 1e3)}`,
            },
        ],
    };
    return chartSection(
        `Latency (${rows.length})`,
        "Small operators against an empty dispatch and what their bytes take at the peak; the furthest from it first.",
        bars(sorted, measure),
        figures("Figures of latency", () => columns(sorted)),
    );
}

function hostSection(rows) {
    const sorted = [...rows].sort((a, b) => b.record_us - a.record_us);
    const measure = {
        unit: "µs",
        name: row => row.name,
        more: () => [],
        sets: [
            {
                label: "vkdml",
                color: () => color("plain"),
                value: row => row.record_us,
                text: row => `${three(row.record_us)} µs`,
            },
            {
                label: "the same commands without vkdml",
                color: () => color("peer0"),
                value: row => row.raw_us,
                text: row => `${three(row.raw_us)} µs`,
            },
        ],
    };
    return chartSection(
        `The host's costs (${rows.length})`,
        "Recording an operator, its bindings unchanged; the longest first.",
        legend([
            ["plain", "vkdml"],
            ["peer0", "the same Vulkan commands without vkdml"],
        ]),
        bars(sorted, measure),
        figures("Figures of the host's costs", () => columns(sorted)),
    );
}

function columns(rows) {
    const fields = Object.keys(rows[0]).filter(field => field !== "searched");
    return table(
        fields,
        rows.map(row => fields.map(field => (typeof row[field] === "number" ? three(row[field]) : (row[field] ?? "")))),
    );
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
        find(id).onchange = event => {
            state[id] = event.target.value;
            update();
        };
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
    for (const row of [...data.rows, ...data.latency, ...data.host]) {
        row.searched = `${row.name} ${row.peak ?? ""} ${row.family ?? ""}`.toLowerCase();
    }
    about();
    choices(find("type"), [["", "all"], ...types.map(type => [type, type])]);
    choices(find("size"), [["", "all"], ...sizes.map(size => [size, sizeText(size)])]);
    choices(
        find("order"),
        Object.entries(ORDERS)
            .filter(([key]) => key !== "peers" || allPeers.length)
            .map(([key, [text]]) => [key, text]),
    );
    find("type-label").hidden = types.length < 2;
    find("size-label").hidden = sizes.length < 2;
    find("order-label").hidden = find("summary").hidden = !data.rows.length;
    if (data.rows.length || data.latency.length || data.host.length) {
        listen();
        update();
    } else {
        find("tools").hidden = true;
        find("charts").append(element("p", { textContent: "This run holds no results." }));
    }
}

start();
