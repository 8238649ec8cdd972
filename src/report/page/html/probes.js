// SPDX-License-Identifier: GPL-2.0-or-later
// Observations of the server and the machine: charts of their series, and counts that disagree with those of the run.
'use strict';

function probeSources(run) { return run.probes ? run.probes.sources : []; }

// Returns [["rows per second", [series, …]], …] in the order of the source.
function seriesByChart(source) {
  const charts = new Map();
  for (const series of source.series)
    charts.set(series.chart, [...charts.get(series.chart) || [], series]);
  return [...charts];
}

// Returns a chart's title, such as "Rows per second (server)".
function probeTitle(source, title) { return `${title.charAt(0).toUpperCase()}${title.slice(1)} (${source.name})`; }

// Returns what is drawn below the lines of a source: the events of the run, and shades over intervals with late counts.
function drawLate(late) {
  return (context, area, graph) => {
    drawEvents(context, area, graph);
    timeline.xs.forEach((x, i) => {
      if (late.value(i) === 1)
        shade(context, area, graph, i > 0 ? timeline.xs[i - 1] : 0, x, cssColor('--shade'));
    });
  };
}

// For one run: all series of a chart, divided into several charts if their magnitudes differ.
function addProbesOfOne(id, title, source, series) {
  const late = overTime(0, `${source.name}_counts_late`), any = late && series.some((one) => one.late) && timeline.xs.some((_, i) => late.value(i) === 1);
  addByMagnitude(id, title, (names) => `${title}: ${names}`, any ? 'shaded: counts are late' : '',
    series.map(({ name, label }, k) => overTime(0, `${source.name}_${name}`, label, k, false)), any ? { underlay: drawLate(late) } : {});
}

// Adds the charts of all sources. For several runs a chart has only the first one of its series, with a line for each run.
function addProbes() {
  for (const source of probeSources(runs[0]))
    seriesByChart(source).forEach(([chart, series], i) => {
      const id = `${source.name}-${i}`, title = probeTitle(source, chart);
      if (single)
        addProbesOfOne(id, title, source, series);
      else
        addOverTime(id, title, series[0].label, perRun(`${source.name}_${series[0].name}`));
    });
}

// Returns the lines of the verdict box about the observations of a run.
function probeFindings(run) {
  const gaps = probeSources(run).flatMap((source) => source.gaps.map((gap) =>
    `${source.name} did not answer from ${timeText(gap.from_s)} to ${timeText(gap.to_s)}${gap.error ? `: ${gap.error}` : ''}`));
  const checks = run.probes ? run.probes.checks.filter((check) => check.agrees === false) : [];
  return [...gaps, ...checks.map((check) =>
    `${check.what}: ${shortNumber(check.ours)}, counted by the server: ${shortNumber(check.theirs)}, which is more than the tolerance of ${shortNumber(check.tolerance)} apart${run.probes.beside ? `: ${run.probes.beside} is counted there, too` : ''}`)];
}

function showProbeFindings() {
  runs.forEach((run, i) => {
    const findings = probeFindings(run);
    if (findings.length === 0)
      return;
    const box = make('div', runs.length > 1 ? labels[i] : undefined, 'bad');
    const list = make('ul');
    list.append(...findings.map((finding) => make('li', finding)));
    box.append(list);
    document.getElementById('verdict').append(box);
  });
}
