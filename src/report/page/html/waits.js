// SPDX-License-Identifier: GPL-2.0-or-later
// What requests waited for: a chart with a band for each wait, the table of the text report, and the cause of the slow requests.
'use strict';

const WAIT_BANDS = 8;         // as many as there are colours
const WAIT_SHOWN = 0.05;      // percent: rows with smaller shares in all columns are left out
const WAIT_COLUMNS = [['all', 'all'], ['p95', 'above p95'], ['p99', 'above p99']];
const WAIT_COLUMN_PREFIX = 'wait:';

// Returns the three largest waits of an outage or an injection as text.
function spanWaits({ samples, events }) {
  const largest = Object.entries(events).sort((a, b) => b[1] - a[1]).slice(0, 3);
  return samples > 0 ? largest.map(([event, percent]) => `${event} ${percent.toFixed(0)} %`).join(', ') : 'not known';
}

// The chart over time.

// Returns the shares of a run over time as {label, values}, the largest first. If there are more than there are colours, the
// smallest ones are one band.
function waitBands(run) {
  const samples = run.columns.wait_events_samples;
  const columns = [['waiting for a worker', 'wait_events_waiting_percent'], ['client late', 'wait_events_client_late_percent'],
    ['in service, not divided', 'wait_events_undivided_percent'],
    ...Object.keys(run.columns).filter((name) => name.startsWith(WAIT_COLUMN_PREFIX)).map((name) => [name.slice(WAIT_COLUMN_PREFIX.length), name])];
  const bands = columns.map(([label, name]) => {
    const values = samples.map((known, i) => known === null ? null : (run.columns[name] || [])[i] || 0);
    return { label, values, sum: values.reduce((sum, value) => sum + value, 0) };
  }).filter(({ sum }) => sum > 0).sort((a, b) => b.sum - a.sum);
  if (bands.length <= WAIT_BANDS)
    return bands;
  const rest = bands.splice(WAIT_BANDS - 1);
  return [...bands, { label: `${rest.length} others`, values: samples.map((known, i) =>
    known === null ? null : rest.reduce((sum, { values }) => sum + values[i], 0)) }];
}

// Adds the chart. A series has the top of its band as value, and the height of the band as its own value.
function addWaits() {
  const run = runs[0];
  if (!single || !column(run, 'wait_events_samples'))
    return;
  const ends = timeline.ends[0], bands = waitBands(run);
  let below = bands.length > 0 ? bands[0].values.map(() => 0) : [];
  const series = bands.map(({ label, values }, color) => {
    const tops = values.map((value, i) => value === null ? NaN : below[i] + value);
    below = tops;
    return { label, color, value: (i) => tops[i], own: (i) => values[i], from: (i) => i > 0 ? ends[i - 1] : 0 };
  });
  addOverTime('waits-chart', 'What requests waited for', 'percent of the time of the requests in the system, in each interval', series,
    { none: 'No request was in the system', valueRange: [0, 100], bands: true });
}

// The table.

function waitShare(share) {
  if (!share)
    return '–';
  const percent = `${share.percent.toFixed(1)}\u00a0%`; // Only exact shares have no error.
  return share.error === 0 ? percent : `${percent} ±\u00a0${Math.max(0.1, share.error).toFixed(1)}`;
}

function isWaitShown(row) { return WAIT_COLUMNS.some(([name]) => row[name] && row[name].percent >= WAIT_SHOWN); }

// Returns a session that blocks others as text.
function blockerText(blocker) {
  if (blocker === null || typeof blocker !== 'object')
    return { run: 'blocked by this run', unknown: 'blocker not known' }[blocker] || '';
  const age = blocker.seconds >= 0.05 ? `${blocker.seconds.toFixed(1)} s` : '';
  const details = [blocker.program, blocker.user, blocker.program || blocker.user ? blocker.state : '', age].filter(Boolean).join(', ');
  return `blocked by session ${blocker.session}${details ? ` (${details})` : ''}`;
}

function waitRow(body, name, cells) {
  body.insertRow().append(make('th', name), ...cells.map((cell) => make('td', cell)));
}

function blockerRow(body, { table, blocker, percent }) {
  const place = [table ? `on ${table}` : '', blockerText(blocker)].filter(Boolean).join(', ');
  const cell = make('td', `${place}: ${percent.toFixed(0)} %`, 'detail');
  cell.colSpan = 1 + WAIT_COLUMNS.length;
  if (blocker && blocker.text)
    cell.append(make('code', blocker.text));
  body.insertRow().append(cell);
}

function waitTable(waits) {
  const table = make('table', undefined, 'spans'), body = table.createTBody(), { requests } = waits;
  const exact = (name) => WAIT_COLUMNS.map(([column]) => `${requests[column][name].toFixed(1)}\u00a0%`);
  const events = waits.events.filter(isWaitShown);
  table.createTHead().insertRow().append(make('th', ''), ...WAIT_COLUMNS.map(([, text]) => make('th', text)));
  waitRow(body, 'client late', exact('client_late_percent'));
  waitRow(body, 'waiting for a worker', exact('waiting_percent'));
  for (const row of events) {
    waitRow(body, row.event, WAIT_COLUMNS.map(([column]) => waitShare(row[column])));
    row.blocked_by.filter(({ percent }) => percent >= 0.5).forEach((part) => blockerRow(body, part));
  }
  if (events.filter(({ event }) => /^(Lock:|wait\/lock\/)/.test(event)).length > 1)
    waitRow(body, waits.locks.event, WAIT_COLUMNS.map(([column]) => waitShare(waits.locks[column])));
  if (!requests.p99.divided)
    waitRow(body, 'in service, not divided', WAIT_COLUMNS.map(([column]) => requests[column].divided ? '–' : `${(requests[column].service_percent - (requests[column].locked_percent || 0)).toFixed(1)}\u00a0%`));
  return table;
}

// Returns what the table cannot say: which columns have too few samples, and notes.
function waitNotes({ requests, notes, statements }) {
    const few = statements > 0 || (notes || []).length === 0
                    ? WAIT_COLUMNS.filter(([ name ]) => !requests[name].divided)
                    : [];
    return [
        ...few.map(
            ([ name, text ]) =>
                `${name === 'all' ? 'All requests' : `Requests ${text}`}: ${
                    requests[name].samples} samples of ` +
                `${Math.round(requests[name].effective_requests)} requests are too few; a run of ${
                    Math.round(requests[name].enough_s)} s would suffice.`),
        ...(notes || [])
    ];
}

// Of several runs, a table has the shares above p99 side by side.
function manyWaitsTable() {
  const table = make('table', undefined, 'spans'), body = table.createTBody();
  const rows = new Map();
  runs.forEach(({ wait_events: waits }, i) => {
    const slow = waits && waits.requests.p99, add = (name, text) => rows.set(name, Object.assign(rows.get(name) || [], { [i]: text }));
    if (!slow)
      return;
    add('client late', `${slow.client_late_percent.toFixed(1)}\u00a0%`);
    add('waiting for a worker', `${slow.waiting_percent.toFixed(1)}\u00a0%`);
    waits.events.filter((row) => row.p99 && row.p99.percent >= WAIT_SHOWN).forEach((row) => add(row.event, waitShare(row.p99)));
    if (!slow.divided)
      add('in service, not divided', `${(slow.service_percent - (slow.locked_percent || 0)).toFixed(1)}\u00a0%`);
  });
  table.createTHead().insertRow().append(make('th', 'above p99'), ...labels.map((label) => make('th', label)));
  rows.forEach((cells, name) => waitRow(body, name, runs.map((_, i) => cells[i] || '–')));
  return table;
}

function showWaits() {
  const section = document.getElementById('waits'), sampled = runs.filter((run) => run.wait_events);
  if (sampled.length === 0)
    return;
  const box = make('div', undefined, 'scroll');
  if (!single || sampled[0].wait_events.statements > 0 ||
      (sampled[0].wait_events.notes || []).length === 0)
      box.append(single ? waitTable(sampled[0].wait_events) : manyWaitsTable());
  section.append(make('p', 'Shares of the response time.', 'hint'), box);
  runs.forEach((run, i) => section.append(...(run.wait_events ? waitNotes(run.wait_events) : []).map((text) =>
    make('p', single ? text : `${labels[i]}: ${text}`))));
  section.hidden = false;
}

// Shows the cause of the slow requests next to the verdict.
function showCauses() {
  runs.forEach((run, i) => {
    const cause = run.wait_events && run.wait_events.cause;
    if (cause && cause.sentence)
      document.getElementById('verdict').append(make('div', single ? cause.sentence : `${labels[i]}: ${cause.sentence}`));
  });
}
