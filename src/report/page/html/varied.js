// SPDX-License-Identifier: GPL-2.0-or-later
// The chart of a sweep: figures of whole runs against the values of an option, with a line per combination of the other
// options.
'use strict';

const MOST_OPTIONS = 3;       // runs that differ by more options are not a sweep
const TICK_PIXELS = 34;       // minimum distance between two labels of the axis
const TICK_TEXT = 18;         // maximum number of characters of a label

// Returns the different values of an option: numbers in ascending order, others in the order of the runs.
function valuesOf(option) {
  const values = [...new Map(runs.map((run) => [JSON.stringify(run.config[option]), run.config[option]])).values()];
  return values.every(Number.isFinite) ? values.sort((a, b) => a - b) : values;
}

// Returns the option for the x axis: of the options that differ, one with numbers if there is any, and of these the one with
// the most values. Returns undefined if the runs are not a sweep.
function variedAxis() {
  const axes = differing.map((name) => ({ name, values: valuesOf(name) }))
    .map((axis) => ({ ...axis, numeric: axis.values.every(Number.isFinite) }))
    .sort((a, b) => b.numeric - a.numeric || b.values.length - a.values.length);
  return differing.length <= MOST_OPTIONS ? axes[0] : undefined;
}

// Returns [["tables=1", [run, …]], …]: the runs of an entry differ only by the option of the axis.
function runsBeside(axis) {
  const beside = new Map();
  for (const run of runs) {
    const name = differing.filter((option) => option !== axis.name)
      .map((option) => `${optionName(option)}=${optionText(run.config[option])}`).join(', ');
    beside.set(name, [...beside.get(name) || [], run]);
  }
  return [...beside];
}

// Returns a figure of the whole run, such as "response_ms_p99" or "response_ms_mean".
function wholeFigure(run, name) {
  const times = run.summary.response_ms || { percentiles: {} };
  const key = name.replace('response_ms_', '');
  const entry = times.percentiles[key];
  return key.startsWith('p') ? (entry ? entry.value : null) : times[key];
}

// Returns the median and the range of repeated runs.
function rangeOf(figures) {
  const known = figures.filter(Number.isFinite);
  return known.length === 0 ? { median: null, least: null, most: null }
    : { median: medianFigure(known.map((value) => ({ value }))).value, least: Math.min(...known), most: Math.max(...known) };
}

// Returns a line through the medians, and two hidden series that make room on the axis for the ranges.
function variedLine(axis, members, name, label, color) {
  const ranges = axis.values.map((value) => rangeOf(members
    .filter((run) => JSON.stringify(run.config[axis.name]) === JSON.stringify(value)).map((run) => wholeFigure(run, name))));
  return [{ label, color, ranges, value: (i) => ranges[i].median }, { label, color, hidden: true, value: (i) => ranges[i].least },
    { label, color, hidden: true, value: (i) => ranges[i].most }];
}

// Draws vertical lines from the minimum to the maximum of repeated runs.
function drawRanges(context, graph, spec) {
  spec.series.forEach(({ ranges, color }) => (ranges || []).forEach(({ least, most }, i) => {
    if (!(most > least))
      return;
    const x = graph.toDomXCoord(spec.xs[i]), top = graph.toDomYCoord(most), bottom = graph.toDomYCoord(least);
    context.strokeStyle = seriesColor(color);
    context.lineWidth = 1.5;
    context.beginPath();
    for (const [from, to, y] of [[x, x, null], [x - 4, x + 4, top], [x - 4, x + 4, bottom]]) {
      context.moveTo(from, y === null ? top : y);
      context.lineTo(to, y === null ? bottom : y);
    }
    context.stroke();
  }));
}

// Returns the lines of the chart: for a single group of runs a line for each time, else a line for each group with the
// chosen time.
function variedLines(axis, beside, choice) {
  if (beside.length > 1)
    return beside.flatMap(([name, members], i) => variedLine(axis, members, choice.name, name, i));
  return responseChoices().filter((one) => one.name !== 'response_ms_max')
    .flatMap((one, i, all) => variedLine(axis, runs, one.name, one.text, (i + 1) % all.length));
}

// Escapes the text of a tick, because dygraphs interprets it as HTML.
function asMarkup(text) {
  const short = text.length > TICK_TEXT ? `${text.slice(0, TICK_TEXT)}…` : text;
  return make('span', short).innerHTML;
}

// Labels only as many values as can be read.
function valueTicker(axis, xs, xLog) {
  const place = xLog ? Math.log : (x) => x;
  return (from, to, pixels) => {
    let last = -Infinity;
    return xs.map((x, i) => ({ v: x, label: asMarkup(optionText(axis.values[i])) })).filter((tick) => {
      const at = (place(tick.v) - place(from)) / (place(to) - place(from)) * pixels;
      const room = at - last >= TICK_PIXELS;
      last = room ? at : last;
      return room;
    });
  };
}

// Numbers are drawn to scale; other values are drawn at equal distances and without lines between them.
function variedSpec(axis) {
  const xs = axis.values.map((value, i) => axis.numeric ? value : i);
  const last = xs[xs.length - 1], xLog = axis.numeric && xs[0] > 0 && last / xs[0] >= 8;
  const margin = axis.numeric ? (last - xs[0]) * 0.04 : 0.5;
  return { title: `Response time by ${optionName(axis.name)}`, wide: true, xs, xLog, times: true, points: !axis.numeric,
    window: xLog ? undefined : [xs[0] - margin, last + margin], ticker: valueTicker(axis, xs, xLog),
    xText: (x) => `${optionName(axis.name)}=${optionText(axis.values[xs.indexOf(x)])}` };
}

// Fills the choice of percentiles for charts with a line per run or per combination.
function fillChoice() {
  const select = document.getElementById('percentile'), choices = responseChoices();
  select.append(...choices.map((choice) => make('option', choice.text)));
  select.selectedIndex = Math.max(0, choices.length - 3);
}

function addVaried() {
  const axis = variedAxis();
  const beside = axis ? runsBeside(axis) : [];
  if (!beside.some(([, members]) => new Set(members.map((run) => JSON.stringify(run.config[axis.name]))).size > 1))
    return;
  const select = document.getElementById('percentile');
  const choice = () => responseChoices()[select.selectedIndex];
  const repeats = runs.length > beside.reduce((sum, [, members]) => sum + new Set(members.map((run) => run.config[axis.name])).size, 0);
  const note = () => `ms, ${beside.length > 1 ? `${choice().text}, ` : ''}whole runs${repeats ? ', median of repeats and their range' : ''}`;
  const spec = { ...variedSpec(axis), note: note(), series: variedLines(axis, beside, choice()) };
  spec.underlay = (context, area, graph) => drawRanges(context, graph, spec);
  const chart = group.add(spec);
  chart.figure.id = 'varied';
  if (beside.length > 1)
    chooseBy(select, () => chart.setSeries(variedLines(axis, beside, choice()), note()));
}
