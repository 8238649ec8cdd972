// SPDX-License-Identifier: GPL-2.0-or-later
// The charts of the page and the actions of its controls.
'use strict';

const timeline = makeTimeline();
const group = new ChartGroup();
const single = runs.length === 1;

const NAME_ROW = 12, NAME_GAP = 6; // pixels: height of a row of event names, and distance between two names in a row

// Returns the series over time of one column of a run; undefined if the run does not have the column. A value is null if the
// run has no interval that ends then, and NaN if the value of the interval is not known: dygraphs connects a line across
// null, and interrupts the line at NaN.
function overTime(run, name, label, color, dashed) {
  const values = column(runs[run], name);
  const rows = timeline.rows[run], ends = timeline.ends[run];
  return values ? { label, color, dashed, run, value: (i) => rows[i] < 0 ? null : values[rows[i]] ?? NaN,
    from: (i) => rows[i] > 0 ? ends[rows[i] - 1] : 0 } : undefined;
}

function perRun(name) {
  return runs.map((_, run) => overTime(run, name, labels[run], run, false)).filter(Boolean);
}

function shade(context, area, graph, from, to, color) {
  const left = Math.max(area.x, graph.toDomXCoord(from)), right = Math.min(area.x + area.w, graph.toDomXCoord(to));
  context.fillStyle = color;
  if (right > left)
    context.fillRect(left, area.y, right - left, area.h);
}

function drawLine(context, area, graph, at) {
  const x = Math.round(graph.toDomXCoord(at)) + 0.5;
  context.strokeStyle = cssColor('--muted');
  context.lineWidth = 2;
  context.setLineDash([3, 3]);
  context.beginPath();
  context.moveTo(x, area.y);
  context.lineTo(x, area.y + area.h);
  context.stroke();
  context.setLineDash([]);
  context.lineWidth = 1;
}

function shorten(context, text, room) {
  const letters = [...text];
  while (letters.length > 1 && context.measureText(`${letters.join('')}…`).width > room)
    letters.pop();
  return letters.length === [...text].length ? text : `${letters.join('')}…`;
}

// Draws the names of events, each to the right of the event's line, in the first row where it covers no other name. Names
// that do not fit into the chart, and repetitions by other runs, are left out.
function drawNames(context, area, graph, marks) {
  const right = area.x + area.w, rows = [], ends = new Map();
  context.fillStyle = cssColor('--text');
  context.strokeStyle = cssColor('--card'); // outlines the letters, which may be on a dark cell
  context.lineWidth = 3;
  context.lineJoin = 'round';
  for (const mark of [...marks].sort((a, b) => a.from_s - b.from_s)) {
    const from = Math.max(area.x, graph.toDomXCoord(mark.from_s)), text = shorten(context, mark.text, area.w / 2);
    const width = context.measureText(text).width, x = Math.min(from + 4, right - width);
    if (graph.toDomXCoord(mark.to_s) < area.x || from > right || x < ends.get(text))
      continue;
    const free = rows.findIndex((end) => end < x), row = free < 0 ? rows.length : free;
    if ((row + 1) * NAME_ROW > area.h)
      continue;
    rows[row] = x + width + NAME_GAP;
    ends.set(text, x + width);
    context.strokeText(text, x, area.y + (row + 1) * NAME_ROW);
    context.fillText(text, x, area.y + (row + 1) * NAME_ROW);
  }
}

// Shades the warm-up, the longest one of all runs, and events. Draws lines at checkpoints and at the beginnings of events.
function drawEvents(context, area, graph) {
  shade(context, area, graph, 0, Math.max(...runs.map((run) => run.config.warmup_time || 0)), cssColor('--shade'));
  for (const run of runs) {
    for (const checkpoint of run.checkpoints)
      drawLine(context, area, graph, checkpoint.at_s);
    for (const mark of run.marks || []) {
      shade(context, area, graph, mark.from_s, mark.to_s, cssColor('--mark'));
      drawLine(context, area, graph, mark.from_s);
    }
  }
  drawNames(context, area, graph, runs.flatMap((run) => run.marks || []));
}

// Adds a chart over time. If all values are 0, a line of text, options.none, is shown instead of the chart.
function addOverTime(id, title, note, series, options = {}) {
  const drawn = series.filter(Boolean), { none, ...others } = options;
  if (drawn.length === 0)
    return null;
  if (isQuiet(drawn, timeline.xs.length)) {
    quiet.push(none || `${title}: 0 throughout`);
    return null;
  }
  const chart = group.add({ title, note, xs: timeline.xs, series: drawn, overTime: true, ticker: timeTicker, xText: timeText,
    underlay: drawEvents, byRun: !single, ...others });
  chart.figure.id = id;
  return chart;
}

// Response times.

function responseChoices() {
  const times = runs[0].summary.response_ms || { percentiles: {} };
  const percentiles = Object.keys(times.percentiles).map((p) => ({ text: p, name: `response_ms_${p}` }));
  return [...percentiles, { text: 'mean', name: 'response_ms_mean' }, { text: 'max', name: 'response_ms_max' }];
}

// Returns the series of percentiles, mean and maximum from the columns whose names begin with `times`.
function responseOfOneRun(times) {
  const percentiles = percentileColumns(runs[0], times)
    .map(([p], i) => overTime(0, `${times}_p${p}`, `p${p}`, i + 1, false));
  return [...percentiles, overTime(0, `${times}_mean`, 'mean', 0, false),
    overTime(0, `${times}_max`, 'max', percentiles.length + 1, true)];
}

function chooseBy(select, change) {
  select.addEventListener('change', change);
  document.getElementById('percentile-choice').hidden = false;
}

function addResponse() {
  const options = { wide: true, times: true };
  if (single) {
    addOverTime('response', 'Response time by percentile', 'ms, of each interval', responseOfOneRun('response_ms'), options);
    return;
  }
  const choices = responseChoices(), select = document.getElementById('percentile');
  const choice = () => choices[select.selectedIndex], note = () => `ms, ${choice().text} of each interval`;
  const chart = addOverTime('response', 'Response time', note(), perRun(choice().name), options);
  if (chart)
    chooseBy(select, () => chart.setSeries(perRun(choice().name), note()));
}

// Other charts over time.

function addLoad() {
  addOverTime('throughput', 'Throughput', 'requests per second', single
    ? [overTime(0, 'asked_per_s', 'asked', 3, true), overTime(0, 'offered_per_s', 'offered', 2, false),
      overTime(0, 'completed_per_s', 'completed', 0, false), overTime(0, 'policy_goodput_per_s', 'in time', 1, false)]
    : perRun('completed_per_s'));
  if (!single)
    addOverTime('goodput', 'Goodput', 'requests completed in time, per second', perRun('policy_goodput_per_s'));
  addOverTime('amplification', 'Load amplification', 'attempts sent for each request that ended',
    single ? [overTime(0, 'policy_load_amplification', 'amplification', 1, false)] : perRun('policy_load_amplification'));
  addOverTime('queue', 'Queue', 'requests that wait, mean of each interval',
    single ? [overTime(0, 'queue_mean', 'queue', 1, false)] : perRun('queue_mean'), { none: 'No request waited' });
  addOverTime('sessions', 'Sessions', 'sessions in progress at the end of each interval',
    single ? [overTime(0, 'sessions_in_progress', 'in progress', 1, false)] : perRun('sessions_in_progress'));
  addOverTime('idle', 'Idle connections', 'open at the end of each interval',
    single ? [overTime(0, 'idle_connections', 'open', 2, false)] : perRun('idle_connections'));
  addBusy();
  addOverTime('staleness', 'Staleness of replicas', single ? 'ms, age of the data in each interval' : 'ms, p99 of each interval', single
    ? [overTime(0, 'staleness_ms_p50', 'p50', 0, false), overTime(0, 'staleness_ms_p99', 'p99', 1, false),
      overTime(0, 'staleness_ms_max', 'maximum', 3, true)]
    : perRun('staleness_ms_p99'), { times: true });
}

// The number of all workers is drawn in the same chart as the busy ones, unless it is so much larger that the line of the
// busy ones would be flat.
function addBusy() {
  const name = 'busy_mean', note = 'workers that execute a request, mean of each interval', none = 'No worker was busy';
  const busy = single ? [overTime(0, name, 'busy', 4, false)].filter(Boolean) : perRun(name);
  const all = single ? overTime(0, 'workers', 'workers', 3, true) : undefined;
  const beside = all && !isQuiet(busy, timeline.xs.length) && byMagnitude([...busy, all], timeline.xs.length).length === 1;
  addOverTime('busy', 'Workers that are busy', all && !beside ? `${note}; there are ${largest(all, timeline.xs.length)} workers` : note,
    beside ? [...busy, all] : busy, { none });
}

function addParts() {
  const options = { times: true };
  if (single) {
    addOverTime('parts', 'Wait and service', 'ms, mean of each interval', [overTime(0, 'wait_ms_mean', 'wait', 1, false),
      overTime(0, 'service_ms_mean', 'service', 2, false),
      overTime(0, 'connection_wait_ms_mean', 'wait for a connection', 0, false)], options);
    return;
  }
  addOverTime('wait', 'Wait', 'ms, mean', perRun('wait_ms_mean'), options);
  addOverTime('connection-wait', 'Wait for a connection', 'ms, mean', perRun('connection_wait_ms_mean'), options);
  addOverTime('service', 'Service', 'ms, mean', perRun('service_ms_mean'), options);
}

function addErrors() {
  const note = 'in each interval';
  if (!single) {
    addOverTime('errors', 'Errors', note, perRun('errors'), { none: 'No errors' });
    return;
  }
  addByMagnitude('errors', 'Errors, reconnects, failed and dropped requests', (names) => `${names.charAt(0).toUpperCase()}${names.slice(1)}`, note,
    [overTime(0, 'errors', 'errors', 1, false), overTime(0, 'reconnects', 'reconnects', 0, false),
      overTime(0, 'failed', 'failed requests', 4, false), overTime(0, 'dropped', 'dropped requests', 3, false)],
    { none: 'No errors, reconnects, failed or dropped requests' });
}

// Adds charts with a line for each part of a run that has its own figures, such as a host.
function addSharers(kind, parts, by) {
  const columns = parts.length > 0 ? percentileColumns(runs[0], `${kind}_0_response_ms`) : [];
  const figure = columns.length > 0 ? `p${columns[columns.length - 1][0]}` : 'mean';
  const lines = (name) => parts.map((part, i) => overTime(0, `${kind}_${i}_${name}`, part, i, false));
  const options = { byRun: false };
  addOverTime(`${kind}-throughput`, `Throughput by ${by}`, 'requests per second', lines('completed_per_s'), options);
  addOverTime(`${kind}-response`, `Response time by ${by}`, `ms, ${figure}`,
    lines(`response_ms_${figure}`), { ...options, times: true });
}

// Adds the charts of types and, if there are several types, a chart of the percentiles of each type.
function addTypes(kind, types, by, what) {
  const names = (types || []).map((type) => type.type);
  addSharers(kind, names, by);
  if (names.length > 1 || kind === 'deferred')
    names.forEach((name, i) => addOverTime(`${kind}-${i}`, `${what} of ${name}`, 'ms, of each interval',
      responseOfOneRun(`${kind}_${i}_response_ms`), { byRun: false, times: true }));
}

// Adds the charts of hosts, of types of events and of deferred work, if the run has them.
function addHosts() {
  const summary = single && runs[0].summary || {};
  addSharers('host', (summary.hosts || []).map((host) => host.name), 'host');
  addTypes('type', summary.event_types, 'type of event', 'Response time');
  addTypes('deferred', summary.deferred, 'type of deferred work', 'Completion time');
}

// Adds a chart with a line for each class of statements: the 95th percentile of their times, or else the last one that the
// run has. The classes of the summary have the numbers of those of the intervals.
function addStatements() {
  const summary = single && runs[0].summary || {}, classes = summary.statements || [];
  const percentiles = Object.keys((summary.response_ms || { percentiles: {} }).percentiles);
  const figure = percentiles.includes('p95') ? 'p95' : percentiles.at(-1) || 'mean';
  addOverTime('statements', 'Times by class of statements', `ms, ${figure} of each interval`,
    classes.map((one, i) => overTime(0, `statement_${i}_time_ms_${figure}`, one.class, i, false)), { byRun: false, times: true });
}

// Charts with a line for each rank. They are shown on request only, since there may be many ranks.

function rankNames() {
  const hosts = new Map(ranksOf(runs[0]).map((rank) => [rank.rank, rank.host]));
  return Object.keys(runs[0].columns).filter((name) => /^rank_\d+_rank$/.test(name) && runs[0].columns[name]).map((name) => {
    const number = runs[0].columns[name][0], host = hosts.get(number);
    return host ? `${number} (${host})` : String(number);
  });
}

// Draws the charts of ranks when they are requested first: with many ranks and intervals this takes a while.
function drawRanks(names) {
  const before = group.charts.length;
  addSharers('rank', names, 'rank');
  const charts = group.charts.slice(before);
  document.getElementById('charts').append(...charts.map((chart) => chart.figure));
  charts.forEach((chart) => {
    chart.draw();
    if (group.window)
      chart.zoom(group.window);
  });
  return charts;
}

function offerRanks() {
  const names = single ? rankNames() : [], box = document.getElementById('by-rank');
  let charts = null;
  if (names.length === 0)
    return;
  document.getElementById('by-rank-choice').hidden = false;
  box.checked = false;
  box.addEventListener('change', () => {
    charts = charts || drawRanks(names);
    charts.forEach((chart) => { chart.figure.hidden = !box.checked; });
    group.resize();
  });
}

// Distribution.

const TAIL_TICKS = [0, 50, 90, 99, 99.9, 99.99, 99.999].map((p) => ({ v: tailOfPercentile(p), label: `p${p}` }));

function tailSeries(run, kind, label, color) {
  const curve = tailCurve(distributionOf(runs[run], kind));
  return curve.some((value) => value !== null) ? { label, color, run, value: (i) => curve[i] } : undefined;
}

function addDistribution() {
  const series = (single
    ? [tailSeries(0, 'response', 'response', 0), tailSeries(0, 'wait', 'wait', 1), tailSeries(0, 'service', 'service', 2)]
    : runs.map((_, run) => tailSeries(run, 'response', labels[run], run))).filter(Boolean);
  if (series.length === 0)
    return;
  let last = Math.round(TAIL_END / TAIL_STEP);
  while (last > 0 && series.every((one) => one.value(last) === null))
    last--;
  const xs = Array.from({ length: last + 1 }, (_, i) => i * TAIL_STEP);
  const chart = group.add({ title: 'Distribution', note: 'ms by percentile, whole run', xs, byRun: !single,
    series, times: true, ticker: () => TAIL_TICKS, xText: (x) => `p${Number(percentileOfTail(x).toFixed(4))}` });
  chart.figure.id = 'distribution';
}

// Returns true if times span more than a power of ten, so that a logarithmic axis shows them best.
function spansDecades() {
  let least = Infinity, most = 0;
  for (const run of runs) {
    for (const mean of column(run, 'response_ms_mean') || [])
      least = mean > 0 && mean < least ? mean : least;
    for (const longest of column(run, 'response_ms_max') || [])
      most = Math.max(most, longest);
  }
  return most > 20 * least;
}

function addControls() {
  const log = document.getElementById('log');
  log.checked = group.log;
  log.addEventListener('change', () => group.setLog(log.checked));
  document.getElementById('reset').addEventListener('click', () => group.zoom(null));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => group.redraw());
  addPrinting();
}

// Places the charts in two columns. If one is left over, it has the full width.
function placeCharts() {
  const { charts } = group, after = charts.findLastIndex((chart) => chart.spec.wide) + 1;
  if ((charts.length - after) % 2 === 1)
    charts[charts.length - 1].figure.classList.add('wide');
  document.getElementById('charts').append(...group.charts.map((chart) => chart.figure));
}

// Shows one legend for all charts that have a line for each run.
function showRunLegend() {
  if (single || !group.charts.some((chart) => chart.spec.byRun))
    return;
  document.getElementById('legend').append(...runs.map((_, run) => {
    const item = make('button', undefined, 'item');
    item.type = 'button';
    item.setAttribute('aria-pressed', 'true');
    item.append(swatch({ color: run }), make('span', labels[run]));
    item.addEventListener('click', () => {
      const visible = item.getAttribute('aria-pressed') === 'false';
      item.setAttribute('aria-pressed', String(visible));
      group.showRun(run, visible);
    });
    return item;
  }));
}

function showPage() {
  group.log = spansDecades();
  showHead();
  if (single)
    showTiles();
  else
    showGlance();
  showVerdicts();
  showNoOps();
  showProbeFindings();
  showCauses();
  if (!single)
    fillChoice();
  addVaried();
  addHeat();
  addResponse();
  addQualities();
  addLoad();
  addParts();
  addErrors();
  addWaits();
  addProbes();
  addHosts();
  addStatements();
  addDistribution();
  placeCharts();
  if (timeline.xs.length === 0)
    document.getElementById('charts').prepend(make('p', 'No charts over time: run with --report-interval=SECONDS.', 'hint'));
  group.charts.forEach((chart) => chart.draw());
  showRunLegend();
  showQuiet();
  showSummary();
  showWaits();
  showSlowest();
  showPlans();
  showRanks();
  offerRanks();
  showPhases();
  showOutages();
  showInjections();
  showConfiguration();
  addControls();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

showPage();
