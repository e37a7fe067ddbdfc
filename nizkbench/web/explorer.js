// The explorer: any two metrics of every configuration that window.explorer (points.js) holds.
//
// What is chosen stands behind the # of the address, so that a copied address shows the same view.
// A facet of which nothing is chosen leaves nothing out.
"use strict";

(() => {
  const { metrics, systems, threads, sizes, how, runs } = window.explorer;

  // A point more than this, and intervals are left to the label that shows on hover.
  const MOST_BARS = 600;
  // A point more than this, and they are drawn by the graphics processor, where there is one.
  const MOST_VECTORS = 1000;
  const MOST_ROWS = 100;
  const MOST_CHIPS = 8;

  const SIZE = { key: "size", name: "size of the statement", unit: "size" };
  const METRICS = [SIZE, ...metrics];

  // How a unit is drawn: what a value is multiplied by, and what stands behind it.
  const UNITS = {
    ns: { factor: 1e-9, suffix: "s" },
    bytes: { factor: 1, suffix: "B" },
    bits: { factor: 1, suffix: " bits" },
    size: { factor: 1, suffix: "" },
    1: { factor: 1, suffix: "" },
  };

  const element = (id) => document.getElementById(id);

  function made(tag, properties = {}, ...children) {
    const node = Object.assign(document.createElement(tag), properties);
    node.append(...children.filter((child) => child !== null));
    return node;
  }

  // ── Configurations as rows ─────────────────────────────────────────────────────────────────────

  /** The value of a column for configuration number `at`. */
  function decoded({ values, codes }, at) {
    if (codes) return values[codes[at]];
    return values.length === 1 ? values[0] : values[at];
  }

  /** Everything of one configuration but its metrics, which `estimate` looks up. */
  function configuration(run, at) {
    const row = { run, at };
    for (const [name, column] of Object.entries(run.columns)) row[name] = decoded(column, at);
    const named = (columns) =>
      Object.entries(columns)
        .map(([name, column]) => [name, decoded(column, at)])
        .filter(([, value]) => value !== null)
        .map(([name, value]) => `${name}=${value}`)
        .join(" ");
    row.variant = named(run.variant);
    row.options = named(run.options);
    row.words = `${row.name} ${row.variant} ${row.options} ${row.configuration}`.toLowerCase();
    return row;
  }

  function configurationsOf(run) {
    return Array.from({ length: run.configurations }, (_, at) => configuration(run, at));
  }

  const ROWS = runs.flatMap(configurationsOf);
  const SYSTEMS = new Map(systems.map((system) => [system.system, system]));

  /** An estimate of a configuration, or null: `{ value, low, high, text, how }`. */
  function estimate(row, metric) {
    if (metric === SIZE) {
      const text = `${row.size} ${row.size_name}`;
      return { value: row.size, low: row.size, high: row.size, text, how: null };
    }
    const column = row.run.metrics[metric.key];
    if (!column) return null;
    const at = column.codes ? column.codes[row.at] : row.at;
    if (at < 0) return null;
    const value = column.value[at];
    const bound = (bounds) => (bounds && bounds[at] !== null ? bounds[at] : value);
    return {
      value,
      low: bound(column.low),
      high: bound(column.high),
      text: column.text[at],
      how: how[column.how[at]],
    };
  }

  // ── What is chosen ─────────────────────────────────────────────────────────────────────────────

  const FACETS = [
    { key: "run", name: "Run", of: (row) => row.run.name },
    { key: "system", name: "System", of: (row) => row.system },
    { key: "statement", name: "Statement", of: (row) => row.statement },
    { key: "size", name: "Size", of: (row) => `${row.size} ${row.size_name}` },
    { key: "threads", name: "Threads", of: (row) => row.threads_label },
    { key: "track", name: "Track", of: (row) => row.track },
    { key: "soundness", name: "Soundness", of: (row) => (row.sound ? "sound" : "unsound") },
  ];

  /** What is shown where the address says nothing: what is sound of the first run, on one thread. */
  function atFirst() {
    const first = configurationsOf(runs[0]);
    const has = (facet, value) => first.some((row) => facet.of(row) === value);
    const wanted = { run: runs[0].name, threads: "one", soundness: "sound" };
    const chosen = {};
    for (const facet of FACETS) {
      const value = wanted[facet.key];
      chosen[facet.key] = new Set(value !== undefined && has(facet, value) ? [value] : []);
    }
    return {
      x: "size:proof",
      y: "time_to_proof",
      xscale: "log",
      yscale: "log",
      find: "",
      pin: "",
      chosen,
    };
  }

  function fromAddress() {
    const said = location.hash.slice(1);
    const state = atFirst();
    if (!said.includes("=")) return state;
    const given = new URLSearchParams(said);
    for (const axis of ["x", "y"]) {
      const key = given.get(axis);
      if (METRICS.some((metric) => metric.key === key)) state[axis] = key;
      if (given.get(`${axis}scale`) === "linear") state[`${axis}scale`] = "linear";
    }
    state.find = given.get("find") ?? "";
    state.pin = given.get("pin") ?? "";
    for (const facet of FACETS) state.chosen[facet.key] = new Set(given.getAll(facet.key));
    return state;
  }

  function address() {
    const said = new URLSearchParams({ x: state.x, y: state.y });
    for (const scale of ["xscale", "yscale"]) {
      if (state[scale] !== "log") said.set(scale, state[scale]);
    }
    for (const facet of FACETS) {
      for (const value of [...state.chosen[facet.key]].sort()) said.append(facet.key, value);
    }
    if (state.find) said.set("find", state.find);
    if (state.pin) said.set("pin", state.pin);
    return `#${said}`;
  }

  /** Whether a configuration is chosen, by every facet but `except`. */
  function isChosen(row, words, except = null) {
    return (
      words.every((word) => row.words.includes(word)) &&
      FACETS.every((facet) => {
        const chosen = state.chosen[facet.key];
        return facet === except || chosen.size === 0 || chosen.has(facet.of(row));
      })
    );
  }

  const words = () => state.find.toLowerCase().split(/\s+/).filter(Boolean);
  const metricOf = (axis) => METRICS.find((metric) => metric.key === state[axis]);
  const keyOf = (row) => `${row.run.name}/${row.configuration}`;

  // ── Words ──────────────────────────────────────────────────────────────────────────────────────

  const thousands = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, "\u202f");
  const threadsOf = (row) => threads[row.threads_label] ?? `${row.threads} threads`;

  function nameOf(facet, value) {
    if (facet.key === "system") return SYSTEMS.get(value)?.label ?? value;
    if (facet.key === "threads") return threads[value] ?? value;
    return value;
  }

  const placeOf = (row) =>
    [
      `${row.size} ${row.size_name}`,
      threadsOf(row),
      row.track,
      row.sound ? null : `unsound: ${row.unsound_check ?? "a declared check fails"}`,
    ]
      .filter(Boolean)
      .join(" · ");

  function label(point) {
    const lines = [`<b>${point.row.name}</b>`, placeOf(point.row)];
    if (point.row.track === "grid") lines.push(folded(point.row.options));
    lines.push(`${metricOf("x").name}: ${point.x.text}`, `${metricOf("y").name}: ${point.y.text}`);
    return lines.join("<br>");
  }

  /** Words in lines of some sixty letters. */
  function folded(text) {
    return text.replace(/(.{45,}?) /g, "$1<br>");
  }

  // ── The plot ───────────────────────────────────────────────────────────────────────────────────

  const hasGraphics = (() => {
    const canvas = document.createElement("canvas");
    return Boolean(canvas.getContext("webgl2") ?? canvas.getContext("webgl"));
  })();

  const scaled = (metric, value) => value * UNITS[metric.unit].factor;

  function errorBars(points, axis) {
    const metric = metricOf(axis);
    const bars = points.map((point) => point[axis]);
    return {
      type: "data",
      array: bars.map(({ value, high }) => scaled(metric, high - value)),
      arrayminus: bars.map(({ value, low }) => scaled(metric, value - low)),
      thickness: 1,
      width: 3,
      visible: bars.some(({ low, high }) => low !== high),
    };
  }

  function markers(system, points, all) {
    const drawn = all > MOST_VECTORS && hasGraphics ? "scattergl" : "scatter";
    const look = SYSTEMS.get(system);
    const trace = {
      type: drawn,
      mode: "markers",
      name: look.label,
      showlegend: false,
      x: points.map((point) => scaled(metricOf("x"), point.x.value)),
      y: points.map((point) => scaled(metricOf("y"), point.y.value)),
      customdata: points.map((point) => keyOf(point.row)),
      hovertext: points.map(label),
      hovertemplate: "%{hovertext}<extra></extra>",
      marker: {
        color: look.colour,
        size: all > MOST_VECTORS ? 4 : 8,
        opacity: all > MOST_VECTORS ? 0.55 : 0.9,
        symbol: points.map((point) => (point.row.sound ? look.marker : `${look.marker}-open`)),
        line: { width: all > MOST_VECTORS ? 0 : 1.2, color: look.colour },
      },
    };
    if (all <= MOST_BARS) {
      trace.error_x = { ...errorBars(points, "x"), color: look.colour };
      trace.error_y = { ...errorBars(points, "y"), color: look.colour };
    }
    return trace;
  }

  /** Lines through the sizes of each series that has one point at each. */
  function lines(system, points) {
    const look = SYSTEMS.get(system);
    const series = Map.groupBy(points, ({ row }) =>
      [row.run.name, row.name, row.variant, row.options, row.threads_label, row.instances].join(
        "|",
      ),
    );
    return [...Map.groupBy(series.values(), ([{ row }]) => row.threads_label)].map(
      ([label, found]) => {
        const trace = {
          type: "scatter",
          mode: "lines",
          showlegend: false,
          hoverinfo: "skip",
          opacity: 0.45,
          line: { color: look.colour, width: 1.3, dash: label === "one" ? "solid" : "dot" },
          x: [],
          y: [],
        };
        for (const line of found) {
          line.sort((one, other) => one.row.size - other.row.size);
          if (line.length < 2) continue;
          trace.x.push(...line.map((point) => scaled(metricOf("x"), point.x.value)), null);
          trace.y.push(...line.map((point) => scaled(metricOf("y"), point.y.value)), null);
        }
        return trace;
      },
    );
  }

  function axis(name, points) {
    const metric = metricOf(name);
    const unit = UNITS[metric.unit];
    const named = new Set(points.map((point) => point.row.size_name));
    const title =
      metric === SIZE && named.size === 1 ? (sizes[[...named][0]] ?? [...named][0]) : metric.name;
    const logarithmic = state[`${name}scale`] === "log";
    const values = points.map((point) => point[name].value);
    // Few different values are the ticks themselves: sizes, bits, options.
    const different = [...new Set(values)].sort((one, other) => one - other);
    const few = metric === SIZE && different.length > 0 && different.length <= 12;
    return {
      type: logarithmic ? "log" : "linear",
      title: { text: title, standoff: 12, font: { size: 14 } },
      automargin: true,
      gridcolor: "#eceef1",
      zeroline: false,
      showline: true,
      linecolor: "#1d2329",
      ticks: "outside",
      ticklen: 4,
      tickcolor: "#1d2329",
      tickformat: metric.unit === "size" ? "d" : "~s",
      ticksuffix: unit.suffix,
      nticks: 7,
      minorloglabels: "complete",
      ...(logarithmic ? { dtick: decades(values) } : { rangemode: "tozero" }),
      ...(few ? { tickvals: different, ticktext: different.map(String), dtick: undefined } : {}),
    };
  }

  /** Ticks at every power of ten, and at its double and fivefold where there are few powers. */
  function decades(values) {
    const least = values.reduce((one, other) => Math.min(one, other), Infinity);
    const most = values.reduce((one, other) => Math.max(one, other), 0);
    return most / least > 300 ? 1 : "D2";
  }

  function draw(points) {
    const bySystem = Map.groupBy(points, (point) => point.row.system);
    const order = systems.map(({ system }) => system).filter((system) => bySystem.has(system));
    const traces = [];
    if (points.length <= MOST_BARS) {
      for (const system of order) traces.push(...lines(system, bySystem.get(system)));
    }
    for (const system of order) {
      traces.push(markers(system, bySystem.get(system), points.length));
    }
    const pinned = points.find((point) => keyOf(point.row) === state.pin);
    if (pinned) {
      traces.push({
        type: "scatter",
        mode: "markers",
        showlegend: false,
        hoverinfo: "skip",
        x: [scaled(metricOf("x"), pinned.x.value)],
        y: [scaled(metricOf("y"), pinned.y.value)],
        marker: { size: 20, symbol: "circle-open", color: "#1d2329", line: { width: 2 } },
      });
    }
    const layout = {
      font: { family: "Inter, Helvetica Neue, Arial, sans-serif", size: 12.5, color: "#1d2329" },
      margin: { l: 16, r: 18, t: 16, b: 16 },
      xaxis: axis("x", points),
      yaxis: axis("y", points),
      hovermode: "closest",
      modebar: { bgcolor: "rgba(0,0,0,0)", color: "#8a939d", activecolor: "#1d2329" },
      hoverlabel: { align: "left", bgcolor: "#fff", bordercolor: "#1d2329", font: { size: 12.5 } },
      uirevision: [state.x, state.y, state.xscale, state.yscale].join(),
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
    };
    const settings = {
      responsive: true,
      displaylogo: false,
      modeBarButtons: [["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"]],
    };
    return window.Plotly.react(element("plot"), traces, layout, settings);
  }

  // ── What stands around it ──────────────────────────────────────────────────────────────────────

  /** The marker of a system as plotly draws it, so that chips are the legend. */
  function swatch({ colour, marker }) {
    const shapes = {
      circle: "M7 1.5a5.5 5.5 0 1 0 .01 0z",
      square: "M2 2h10v10H2z",
      diamond: "M7 .5 13.5 7 7 13.5.5 7z",
      "triangle-up": "M7 1.5 13 12H1z",
      "triangle-down": "M7 12.5 1 2h12z",
      x: "M3.5 1 7 4.5 10.5 1 13 3.5 9.5 7 13 10.5 10.5 13 7 9.5 3.5 13 1 10.5 4.5 7 1 3.5z",
      star: "M7 .5 8.7 5h4.8L9.6 8l1.5 4.9L7 10l-4.1 2.9L4.4 8 .5 5h4.8z",
      hexagon: "M4 1.8h6L13 7l-3 5.2H4L1 7z",
      pentagon: "M7 .8 13.2 5.4 10.8 12.6H3.2L.8 5.4z",
      cross: "M5 1h4v4h4v4H9v4H5V9H1V5h4z",
      hourglass: "M1.5 1.5h11L7 7l5.5 5.5h-11L7 7z",
      bowtie: "M1.5 1.5 7 7l5.5-5.5v11L7 7l-5.5 5.5z",
      "star-diamond": "M7 .5 9 5l4.5 2L9 9l-2 4.5L5 9 .5 7 5 5z",
      "triangle-left": "M1 7 12 1v12z",
    };
    const drawing = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    drawing.setAttribute("viewBox", "0 0 14 14");
    drawing.setAttribute("aria-hidden", "true");
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", shapes[marker] ?? shapes.circle);
    path.setAttribute("fill", colour);
    drawing.append(path);
    return drawing;
  }

  const bySize = (one, other) =>
    parseInt(one, 10) - parseInt(other, 10) || one.localeCompare(other);

  /** The chips of each facet, with how many configurations each would show. */
  function facets() {
    const sought = words();
    const groups = FACETS.map((facet) => {
      const counts = new Map();
      for (const row of ROWS) {
        const value = facet.of(row);
        const seen = counts.get(value) ?? 0;
        counts.set(value, seen + (isChosen(row, sought, facet) ? 1 : 0));
      }
      const chosen = state.chosen[facet.key];
      // Where there are few values, those that would show nothing stand all the same.
      let values = [...counts.keys()];
      if (values.length > MOST_CHIPS) {
        values = values.filter((value) => counts.get(value) > 0 || chosen.has(value));
      }
      if (facet.key === "size") values.sort(bySize);
      if (facet.key === "system")
        values = systems.map(({ system }) => system).filter((one) => values.includes(one));
      const chips = values.map((value) => {
        const chip = made(
          "button",
          { type: "button", className: "chip" },
          facet.key === "system" ? swatch(SYSTEMS.get(value)) : null,
          nameOf(facet, value),
          made("small", {}, thousands(counts.get(value))),
        );
        chip.setAttribute("aria-pressed", String(chosen.has(value)));
        chip.dataset.facet = facet.key;
        chip.dataset.value = value;
        chip.dataset.count = counts.get(value);
        return chip;
      });
      return made("fieldset", {}, made("legend", {}, facet.name), ...chips);
    });
    const focused = document.activeElement?.dataset ?? {};
    element("facets").replaceChildren(...groups);
    if (focused.facet) {
      const again = [...element("facets").querySelectorAll(".chip")].find(
        (chip) => chip.dataset.facet === focused.facet && chip.dataset.value === focused.value,
      );
      again?.focus({ preventScroll: true });
    }
  }

  function count(shown, chosen, missing, off) {
    const node = element("count");
    const said = [made("b", {}, thousands(shown)), ` of ${thousands(ROWS.length)} configurations`];
    const without = [];
    if (missing) without.push(`${thousands(missing)} more lack one of the two metrics`);
    if (off)
      without.push(`${thousands(off)} more are zero and have no place on a logarithmic axis`);
    if (without.length) said.push(`; ${without.join(", ")}`);
    if (shown > MOST_BARS) said.push("; intervals show on hover");
    node.replaceChildren(...said);
    node.dataset.shown = shown;
    node.dataset.missing = missing;
    node.dataset.chosen = chosen;
  }

  /** A number as text, with the value that it was made from. */
  function told(found) {
    return made("data", { value: String(found.value), textContent: found.text });
  }

  function details() {
    const node = element("pinned");
    const row = ROWS.find((one) => keyOf(one) === state.pin);
    node.hidden = !row;
    if (!row) return;
    const facts = [
      ["run", `${row.run.name}, configuration ${row.configuration}`],
      ["statement", `${row.statement}, ${row.size} ${row.size_name}`],
      ["system", `${row.system}, ${row.library} ${row.library_version}`],
      ["variant", row.variant],
      ["options", row.options],
      ["threads", threadsOf(row)],
      ["track", row.track],
      ["instances", row.instances],
      ["invocations", String(row.invocations)],
      ["phases", row.contains],
      ["soundness", row.sound ? null : `unsound, and so declared: it fails ${row.unsound_check}`],
      ["no times", row.outcome === "done" ? null : row.outcome],
    ].filter(([, value]) => value);
    const list = made("dl");
    for (const [name, value] of facts) list.append(made("dt", {}, name), made("dd", {}, value));
    const rows = metrics
      .map((metric) => [metric, estimate(row, metric)])
      .filter(([, found]) => found !== null)
      .map(([metric, found]) => {
        const line = made(
          "tr",
          {},
          made("th", { scope: "row" }, metric.name),
          made("td", { className: "number" }, told(found)),
          made("td", { className: "how" }, found.how),
        );
        line.dataset.metric = metric.key;
        return line;
      });
    const close = made("button", { type: "button", className: "close", textContent: "×" });
    close.setAttribute("aria-label", "unpin");
    close.addEventListener("click", () => change({ pin: "" }));
    const code = `pl.read_parquet("${row.run.folder}/samples.parquet").filter(configuration="${row.configuration}")`;
    node.replaceChildren(
      close,
      made("h3", {}, row.name),
      list,
      made("div", { className: "scroll" }, made("table", {}, made("tbody", {}, ...rows))),
      made("p", { className: "records" }, "Its samples: ", made("code", {}, code)),
    );
  }

  function table(points) {
    const [x, y] = [metricOf("x"), metricOf("y")];
    const rows = points.slice(0, MOST_ROWS).map((point) => {
      const pin = made("button", {
        type: "button",
        className: "link",
        textContent: point.row.name,
      });
      pin.addEventListener("click", () => change({ pin: keyOf(point.row) }));
      const options =
        point.row.track === "grid"
          ? `${placeOf(point.row)} · ${point.row.options}`
          : placeOf(point.row);
      const line = made(
        "tr",
        {},
        made("td", {}, pin, made("span", { className: "place" }, options)),
        made("td", { className: "number" }, told(point.x)),
        made("td", { className: "number" }, told(point.y)),
      );
      line.dataset.configuration = keyOf(point.row);
      return line;
    });
    const heads = ["configuration", x.name, y.name].map((name) => made("th", {}, name));
    element("shown").replaceChildren(
      made("thead", {}, made("tr", {}, ...heads)),
      made("tbody", {}, ...rows),
    );
    const rest = points.length - rows.length;
    element("rest").textContent = rest > 0 ? `… and ${thousands(rest)} more, by ${y.name}.` : "";
  }

  // ── Turning the wheel ──────────────────────────────────────────────────────────────────────────

  let state = fromAddress();

  function show() {
    const [x, y] = [metricOf("x"), metricOf("y")];
    const sought = words();
    const chosen = ROWS.filter((row) => isChosen(row, sought));
    const both = chosen
      .map((row) => ({ row, x: estimate(row, x), y: estimate(row, y) }))
      .filter((point) => point.x && point.y);
    const points = both.filter(
      (point) =>
        (state.xscale !== "log" || point.x.value > 0) &&
        (state.yscale !== "log" || point.y.value > 0),
    );
    points.sort((one, other) => one.y.value - other.y.value);
    for (const name of ["x", "y", "xscale", "yscale"]) element(name).value = state[name];
    if (element("find").value !== state.find) element("find").value = state.find;
    facets();
    count(points.length, chosen.length, chosen.length - both.length, both.length - points.length);
    details();
    table(points);
    return draw(points);
  }

  function change(what) {
    state = { ...state, ...what };
    history.replaceState(null, "", address());
    return show();
  }

  for (const axis of ["x", "y"]) {
    element(axis).append(...METRICS.map(({ key, name }) => made("option", { value: key }, name)));
    element(axis).addEventListener("change", (event) => change({ [axis]: event.target.value }));
    const scale = `${axis}scale`;
    element(scale).addEventListener("change", (event) => change({ [scale]: event.target.value }));
  }
  element("swap").addEventListener("click", () =>
    change({ x: state.y, y: state.x, xscale: state.yscale, yscale: state.xscale }),
  );
  element("find").addEventListener("input", (event) => change({ find: event.target.value }));
  element("facets").addEventListener("click", (event) => {
    const chip = event.target.closest(".chip");
    if (!chip) return;
    const chosen = new Set(state.chosen[chip.dataset.facet]);
    if (!chosen.delete(chip.dataset.value)) chosen.add(chip.dataset.value);
    change({ chosen: { ...state.chosen, [chip.dataset.facet]: chosen } });
  });
  element("everything").addEventListener("click", () => {
    const none = Object.fromEntries(FACETS.map((facet) => [facet.key, new Set()]));
    change({ chosen: none, find: "" });
  });
  element("first").addEventListener("click", () => {
    state = atFirst();
    change({});
  });
  window.addEventListener("hashchange", () => {
    if (location.hash !== address() && location.hash.includes("=")) {
      state = fromAddress();
      show();
    }
  });

  Promise.resolve(show()).then(() => {
    element("plot").on("plotly_click", ({ points }) => {
      if (points[0]?.customdata) change({ pin: points[0].customdata });
    });
    if (location.hash.includes("=")) element("explorer").scrollIntoView();
    document.documentElement.dataset.ready = "yes";
  });
})();
