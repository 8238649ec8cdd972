// SPDX-License-Identifier: GPL-2.0-or-later
// Table with a row for each rank of a run, or for each of the runs that were added up.
'use strict';

function ranksOf(run) { return run.ranks || run.repeats || []; }

function rankVerdict(rank) {
  if (rank.partial)
    return 'its end is missing';
  if (!rank.verdict)
    return '–';
  return rank.verdict.valid ? 'VALID' : rank.verdict.findings.map((finding) => finding.name).join(', ');
}

function rankCells(rank, percentiles) {
  const times = [rank.response_ms.mean, ...percentiles.map((p) => (rank.response_ms.percentiles[p] || {}).value), rank.response_ms.max];
  const counts = ['offered', 'completed', 'failed', 'dropped', 'unfinished'].map((name) => String(rank.requests[name]));
  const cpu = rank.client_cpu === null ? '–' : shortNumber(100 * rank.client_cpu);
  return [String(rank.rank), rank.host === null ? '–' : rank.host, String(rank.workers), ...counts,
    ...times.map((ms) => ms === null ? '–' : shortNumber(ms)), cpu, rankVerdict(rank)];
}

function rankTable(run) {
  const table = make('table'), percentiles = Object.keys(ranksOf(run)[0].response_ms.percentiles);
  const heads = [run.ranks ? 'rank' : 'run', run.ranks ? 'host' : 'file', 'workers', 'offered', 'completed', 'failed', 'dropped', 'unfinished',
    'mean, ms', ...percentiles.map((p) => `${p}, ms`), 'max, ms', 'CPU, %', 'verdict'];
  table.createTHead().insertRow().append(...heads.map((head) => make('th', head)));
  const body = table.createTBody();
  ranksOf(run).forEach((rank) => body.insertRow().append(...rankCells(rank, percentiles).map((cell) => make('td', cell))));
  return table;
}

function showRanks() {
  const section = document.getElementById('ranks');
  runs.forEach((run, i) => {
    if (ranksOf(run).length === 0)
      return;
    const box = make('div', undefined, 'scroll');
    box.append(rankTable(run));
    section.append(...(runs.length > 1 ? [make('h3', labels[i])] : []), box);
    section.hidden = false;
  });
}
