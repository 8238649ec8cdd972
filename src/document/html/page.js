// SPDX-License-Identifier: GPL-2.0-or-later
// Which charts there are, and what the controls do.
'use strict';

const timeline = makeTimeline();
const group = new ChartGroup();
const single = runs.length === 1;

const NAME_ROW = 12, NAME_GAP = 6; // pixels: between names of events

// A line over time of one column of a run; undefined when the run has none.
function overTime(run, name, label, color, dashed) {
  const values = column(runs[run], name);
  const rows = timeline.rows[run];
  return values ? { label, color, dashed, value: (i) => rows[i] < 0 ? null : values[rows[i]] } : undefined;
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

// Each behind its line, in the first row where it covers no other; those that find none are left out, as is what several runs share.
function drawNames(context, area, graph, marks) {
  const right = area.x + area.w, rows = [], ends = new Map();
  context.fillStyle = cssColor('--muted');
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
    context.fillText(text, x, area.y + (row + 1) * NAME_ROW);
  }
}

// Warm-up and events that lasted are shaded, checkpoints and moments are lines. Those of the run that warmed up longest.
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

function addOverTime(id, title, note, series, options) {
  const drawn = series.filter(Boolean);
  if (drawn.length === 0)
    return null;
  const chart = group.add({ title, note, xs: timeline.xs, series: drawn, overTime: true, ticker: timeTicker, xText: timeText,
    underlay: drawEvents, ...options });
  chart.figure.id = id;
  return chart;
}

// Response times.

function responseChoices() {
  const times = runs[0].summary.response_ms || { percentiles: {} };
  const percentiles = Object.keys(times.percentiles).map((p) => ({ text: `${p} %`, name: `response_ms_p${p}` }));
  return [...percentiles, { text: 'mean', name: 'response_ms_mean' }, { text: 'maximum', name: 'response_ms_max' }];
}

function responseOfOneRun() {
  const percentiles = percentileColumns(runs[0], 'response_ms')
    .map(([p], i) => overTime(0, `response_ms_p${p}`, `${p} %`, i + 1, false));
  return [...percentiles, overTime(0, 'response_ms_mean', 'mean', 0, false),
    overTime(0, 'response_ms_max', 'maximum', percentiles.length + 1, true)];
}

function chooseBy(select, change) {
  select.addEventListener('change', change);
  document.getElementById('percentile-choice').hidden = false;
}

function addResponse() {
  const options = { wide: true, times: true };
  if (single) {
    addOverTime('response', 'Response time', 'ms', responseOfOneRun(), options);
    return;
  }
  const choices = responseChoices();
  const preferred = Math.max(0, choices.length - 3);
  const select = document.getElementById('percentile');
  select.append(...choices.map((choice) => make('option', choice.text)));
  select.selectedIndex = preferred;
  const chart = addOverTime('response', 'Response time', 'ms, one line per run', perRun(choices[preferred].name), options);
  if (chart)
    chooseBy(select, () => chart.setSeries(perRun(choices[select.selectedIndex].name)));
}

// The rest over time.

function addLoad() {
  addOverTime('throughput', 'Throughput', 'requests per second', single
    ? [overTime(0, 'asked_per_s', 'asked', 3, true), overTime(0, 'offered_per_s', 'offered', 2, false),
      overTime(0, 'completed_per_s', 'completed', 0, false)]
    : perRun('completed_per_s'));
  addOverTime('queue', 'Queue length', 'requests that wait, at the end of each interval', single
    ? [overTime(0, 'queue_length', 'waiting', 1, false)] : perRun('queue_length'));
  addOverTime('busy', 'Workers busy', 'requests in service, at the end of each interval', single
    ? [overTime(0, 'concurrency', 'busy', 4, false), overTime(0, 'threads', 'workers', 3, true)] : perRun('concurrency'));
}

function addParts() {
  const options = { times: true };
  if (single) {
    addOverTime('parts', 'Wait against service', 'ms, mean', [overTime(0, 'wait_ms_mean', 'wait', 1, false),
      overTime(0, 'service_ms_mean', 'service', 2, false)], options);
    return;
  }
  addOverTime('wait', 'Wait', 'ms, mean', perRun('wait_ms_mean'), options);
  addOverTime('service', 'Service', 'ms, mean', perRun('service_ms_mean'), options);
}

function addErrors() {
  addOverTime('errors', 'Errors and reconnects', 'in each interval', single
    ? [overTime(0, 'errors', 'errors', 1, false), overTime(0, 'reconnects', 'reconnects', 0, false),
      overTime(0, 'failed', 'failed', 4, false), overTime(0, 'dropped', 'dropped', 3, false)]
    : perRun('errors'));
}

// A line per host, where a run had several.
function addTargets() {
  const targets = single && runs[0].summary.targets || [];
  const columns = targets.length > 0 ? percentileColumns(runs[0], 'target_0_response_ms') : [];
  const figure = columns.length > 0 ? `p${columns[columns.length - 1][0]}` : 'mean';
  const lines = (name) => targets.map((target, i) => overTime(0, `target_${i}_${name}`, target.name, i, false));
  addOverTime('target-throughput', 'Throughput by host', 'requests per second', lines('completed_per_s'));
  addOverTime('target-response', 'Response time by host', `ms, ${figure.replace(/^p(.*)/, '$1 %')}`,
    lines(`response_ms_${figure}`), { times: true });
}

// Distribution.

const TAIL_TICKS = [0, 50, 90, 99, 99.9, 99.99, 99.999].map((p) => ({ v: tailOfPercentile(p), label: `${p} %` }));

function tailSeries(run, kind, label, color) {
  const curve = tailCurve(distributionOf(runs[run], kind));
  return curve.some((value) => value !== null) ? { label, color, value: (i) => curve[i] } : undefined;
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
  const chart = group.add({ title: 'Distribution', note: 'ms at or below which so many percent of the whole run lie', xs,
    series, times: true, ticker: () => TAIL_TICKS, xText: (x) => `${Number(percentileOfTail(x).toFixed(4))} %` });
  chart.figure.id = 'distribution';
}

// Times that span several powers of ten are best seen on a logarithmic axis.
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
  let closed;
  addEventListener('beforeprint', () => {
    const main = document.getElementById('charts');
    closed = [...document.querySelectorAll('details:not([open])')];
    closed.forEach((details) => { details.open = true; });
    main.style.setProperty('--screen-width', main.clientWidth);
    main.classList.toggle('drawn-dark', matchMedia('(prefers-color-scheme: dark)').matches);
  });
  addEventListener('afterprint', () => {
    closed.forEach((details) => { details.open = false; });
  });
}

function showPage() {
  group.log = spansDecades();
  showHead();
  showVerdicts();
  showNoOps();
  showProbeFindings();
  addResponse();
  addLoad();
  addParts();
  addErrors();
  addProbes();
  addTargets();
  addDistribution();
  addVaried();
  document.getElementById('charts').append(...group.charts.map((chart) => chart.figure));
  if (timeline.xs.length === 0)
    document.getElementById('charts').prepend(make('p', 'No charts over time: run with --report-interval=SECONDS.', 'hint'));
  group.charts.forEach((chart) => chart.draw());
  showSummary();
  showOutages();
  showInjections();
  showConfiguration();
  addControls();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

showPage();
