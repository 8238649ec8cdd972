// SPDX-License-Identifier: GPL-2.0-or-later
// Tables of the phases of a changing arrival rate: response times of the requests that arrived in each.
'use strict';

function phasesOf(run) { return run.phases || []; }

function askedText(phase) {
  const from = shortNumber(phase.rate_from_per_s), to = shortNumber(phase.rate_to_per_s);
  return from === to ? from : `${from} to ${to}`;
}

function phaseTable(phases) {
  const table = make('table'), percentiles = Object.keys(phases[0].response_ms.percentiles);
  const heads = ['from, s', 'to, s', 'asked, per s', 'requests', 'arrived, per s', 'mean, ms', ...percentiles.map((p) => `${p}, ms`), 'max, ms'];
  table.createTHead().insertRow().append(...heads.map((head) => make('th', head)));
  const body = table.createTBody();
  for (const phase of phases) {
    const times = phase.response_ms;
    body.insertRow().append(figureCell(phase.from_s), figureCell(phase.to_s), make('td', askedText(phase)), figureCell(phase.requests),
      figureCell(phase.requests / (phase.to_s - phase.from_s)), figureCell(times.mean, times.mean_censored),
      ...percentiles.map((p) => figureCell((times.percentiles[p] || {}).value, (times.percentiles[p] || {}).censored)),
      figureCell(times.max, times.max_censored));
  }
  return table;
}

function showPhases() {
  const section = document.getElementById('phases');
  runs.forEach((run, i) => {
    if (phasesOf(run).length === 0)
      return;
    const box = make('div', undefined, 'scroll');
    box.append(phaseTable(phasesOf(run)));
    section.append(...(runs.length > 1 ? [make('h3', labels[i])] : []), box);
    section.hidden = false;
  });
}
