// SPDX-License-Identifier: GPL-2.0-or-later
// Tables of outages: times without completed requests, and the time until the response times and connections were as before.
'use strict';

function outagesOf(run) { return run.outages ? run.outages.list : []; }

// Returns seconds since the outage began as text: 'never' if the awaited state was not reached, '–' if nothing was awaited.
function outageAfter(seconds, awaited) {
  if (seconds !== null)
    return shortNumber(seconds);
  return awaited ? 'never' : '–';
}

function outageTable(outages, percentile) {
  const table = make('table');
  const sampled = outages.some((o) => o.wait_events);
  const heads = ['host', 'from, s', 'to, s', 'seconds', 'requests lost', `p${percentile} back after, s`, 'connections missing', 'back after, s',
    ...(sampled ? ['waits'] : [])];
  table.createTHead().insertRow().append(...heads.map((head) => make('th', head)));
  const body = table.createTBody();
  outages.forEach((o) => body.insertRow().append(...[
    o.host === null ? 'all' : o.host, shortNumber(o.from_s), shortNumber(o.to_s) + (o.ended ? '' : ' (end of the run)'), shortNumber(o.to_s - o.from_s),
    String(o.lost), outageAfter(o.back_after_s, o.level_ms !== null), String(o.disconnected), outageAfter(o.connected_after_s, o.disconnected > 0),
    ...(sampled ? [o.wait_events ? spanWaits(o.wait_events) : '–'] : []),
  ].map((cell) => make('td', cell))));
  return table;
}

function showOutages() {
  const section = document.getElementById('outages');
  runs.forEach((run, i) => {
    if (outagesOf(run).length === 0)
      return;
    const box = make('div', undefined, 'scroll');
    box.append(outageTable(outagesOf(run), run.outages.percentile));
    section.append(...(runs.length > 1 ? [make('h3', labels[i])] : []), box);
    section.hidden = false;
  });
}
