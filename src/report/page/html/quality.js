// SPDX-License-Identifier: GPL-2.0-or-later
// Quality figures of the workload: a chart of each over time, next to the response times, and rows of the summary.
'use strict';

function qualityNames() {
  return [...new Set(runs.flatMap((run) => Object.keys(run.summary && run.summary.quality || {})))];
}

function addQualities() {
  for (const name of qualityNames()) {
    const lines = single ? [overTime(0, `quality_${name}`, name, 2, false)] : perRun(`quality_${name}`);
    addOverTime(`quality-${name}`, `Quality: ${name}`, 'mean of each interval', lines);
  }
}

function qualityRows(body) {
  for (const name of qualityNames())
    for (const figure of ['mean', 'low', 'high', 'count']) {
      const text = { mean: name, low: `${name}, 95 % interval from`, high: `${name}, 95 % interval to`, count: `${name}, values` };
      summaryRow(body, text[figure], `quality.${name}.${figure}`, (s) => s.quality && s.quality[name] && s.quality[name][figure]);
    }
}
