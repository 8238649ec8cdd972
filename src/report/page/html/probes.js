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

// For one run: all series of a chart, divided into several charts if their magnitudes differ.
function addProbesOfOne(id, title, source, series) {
  addByMagnitude(id, title, (names) => `${title}: ${names}`, '',
    series.map(({ name, label }, k) => overTime(0, `${source.name}_${name}`, label, k, false)));
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
