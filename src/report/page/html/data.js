// SPDX-License-Identifier: GPL-2.0-or-later
// The runs of the page, their labels, and their values over time.
'use strict';

const runs = [...document.querySelectorAll('script.run')].map((element) => withColumns(JSON.parse(element.textContent)));

// Expands columns: a column whose values are all equal is stored as this value.
function withColumns(run) {
  for (const [name, values] of Object.entries(run.columns))
    if (values !== null && !Array.isArray(values))
      run.columns[name] = Array(run.rows).fill(values);
  return run;
}

// Options that do not distinguish runs: they do not change what is measured, or only how it is shown over time.
const SILENT_OPTIONS = new Set([...JSON.parse(document.getElementById('no-settings').textContent), 'report_interval']);

// The name of an option on the command line.
function optionName(name)
{
    if (name.startsWith('server.')) // a setting of the server
        return name;
    return name === 'rate' ? 'tx-rate' : name.replaceAll('_', '-');
}

function differingOptions() {
  const names = new Set(runs.flatMap((run) => Object.keys(run.config)));
  return [...names].filter((name) =>
    !SILENT_OPTIONS.has(name) && new Set(runs.map((run) => JSON.stringify(run.config[name]))).size > 1);
}

const differing = differingOptions();

// Returns the labels of the runs: "threads=16" if this option distinguishes them, else the names of their files.
function runLabels() {
  const ofOptions = runs.map((run) => differing.map((name) => `${optionName(name)}=${run.config[name]}`).join(', '));
  const told = differing.length > 0 && differing.length <= 3 && new Set(ofOptions).size === runs.length;
  return told ? ofOptions : runs.map((run) => run.name);
}

const labels = runLabels();

function column(run, name) {
  const values = run.columns[name];
  return values && values.some((value) => value !== null) ? values : null;
}

// Returns the columns of percentiles as [["99", column], …] for a kind of time such as "response_ms".
function percentileColumns(run, kind) {
  const prefix = `${kind}_p`;
  return Object.keys(run.columns).filter((name) => name.startsWith(prefix))
    .map((name) => [name.slice(prefix.length), column(run, name)])
    .filter(([, values]) => values);
}

// Returns the times at which intervals ended. The reporter wakes up a little late, so the requested time is used, which is
// the same in all runs. If two intervals would end at the same time, the second one keeps its real time.
function intervalEnds(run) {
  const step = run.config.report_interval;
  let last = -1;
  return (run.columns.to_s || []).map((seconds) => {
    if (!Number.isFinite(seconds))
      return last;
    const multiple = Math.round(Math.round(seconds / step) * step * 1e6) / 1e6;
    last = Math.abs(seconds - multiple) <= step / 50 && multiple > last ? multiple : seconds;
    return last;
  });
}

// Returns the sorted end times of the intervals of all runs, and for each run the index of its interval at each of these
// times (−1 if it has no such interval). `ends` are the end times of each run.
function makeTimeline() {
  const ends = runs.map(intervalEnds);
  if (runs.length === 1)
    return { ends, xs: ends[0], rows: [ends[0].map((_, i) => i)] };
  const xs = [...new Set(ends.flat())].sort((a, b) => a - b);
  const rows = ends.map((own) => {
    const at = new Map(own.map((x, i) => [x, i]));
    return xs.map((x) => at.has(x) ? at.get(x) : -1);
  });
  return { ends, xs, rows };
}

// Returns the first index in the sorted array xs whose value is at least x.
function lowerBound(xs, x) {
  let low = 0, high = xs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (xs[middle] < x)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Distribution: percentiles are nearest ranks over observed values and lower bounds, as in the report.

const SUB_BITS = 9; // binary digits after the first one by which buckets of the report are split: docs/json.md

function bucketMiddle(lower) {
  if (lower < 2 << SUB_BITS)
    return lower;
  return lower + 2 ** (Math.floor(Math.log2(lower)) - SUB_BITS) / 2;
}

// Returns {values: ascending, in ms, ranks: for each value the number of values up to it, count}.
function distributionOf(run, kind) {
  const histogram = run.summary.histogram;
  const observed = histogram && histogram[kind] || [];
  const bounds = histogram && histogram.censored && histogram.censored[kind] || [];
  const sums = histogram && histogram.sums && histogram.sums[kind] || {};
  const all = [...observed, ...bounds].sort((a, b) => a[0] - b[0]);
  const least = Math.min(...[sums.min_ns].filter(Number.isFinite), Infinity);
  const most = Math.max(...[sums.max_ns, sums.censored_max_ns].filter(Number.isFinite), 0);
  const values = [], ranks = [];
  let rank = 0;
  for (const [lower, count] of all) {
    rank += count;
    values.push(Math.min(most, bounds.length ? bucketMiddle(lower) : Math.max(least, bucketMiddle(lower))) / 1e6);
    ranks.push(rank);
  }
  return { values, ranks, count: rank };
}

// On the axis of the percentile plot each step of 1 is a factor of ten: 90 % is 1, 99 % is 2, 99.99 % is 4.
const TAIL_STEP = 0.01, TAIL_END = 5;

function tailOfPercentile(percentile) { return -Math.log10(1 - percentile / 100); }
function percentileOfTail(tail) { return 100 * (1 - 10 ** -tail); }

function tailCurve(distribution) {
  const curve = [];
  const end = Math.min(TAIL_END, Math.log10(Math.max(1, distribution.count)));
  for (let i = 0; i * TAIL_STEP <= TAIL_END; i++) {
    const tail = i * TAIL_STEP;
    if (tail > end + 1e-9) {
      curve.push(null);
      continue;
    }
    const n = distribution.count, rank = Math.max(1, Math.ceil(n * (1 - 10 ** -tail) - n * 1e-12));
    curve.push(n > 0 ? distribution.values[lowerBound(distribution.ranks, rank)] : null);
  }
  return curve;
}

// Texts.

function shortNumber(value) {
  if (value === null || value === undefined || !Number.isFinite(value))
    return '–';
  const size = Math.abs(value);
  if (Number.isInteger(value) || size >= 1e5)
    return String(Math.round(value));
  return size >= 1000 ? value.toFixed(1) : size >= 1 ? value.toFixed(2) : String(Number(value.toPrecision(3)));
}

function timeText(seconds) {
  if (!Number.isFinite(seconds))
    return '–';
  const whole = Math.floor(seconds + 1e-9);
  const two = (n) => String(n).padStart(2, '0');
  if (whole < 300)
    return `${Number(seconds.toFixed(3))} s`;
  const text = `${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
  return `${Math.floor(whole / 3600)}:${text}`;
}

// Returns the median of figures {value, censored} as the table of a sweep has it: the median is a lower bound if one of the
// figures up to it is one. Returns {value: null} if no figure is known.
function medianFigure(figures) {
  const known = figures.filter((figure) => Number.isFinite(figure.value)).sort((a, b) => a.value - b.value);
  if (known.length === 0)
    return { value: null, censored: false };
  const low = known[Math.floor((known.length - 1) / 2)], high = known[Math.floor(known.length / 2)];
  const censored = known.slice(0, Math.floor(known.length / 2) + 1).some((figure) => figure.censored);
  return { value: (low.value + high.value) / 2, censored };
}
