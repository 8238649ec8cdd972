// SPDX-License-Identifier: GPL-2.0-or-later
// The overview: tiles for one run, a table for several runs.
'use strict';

function askedOf(run) {
  if (run.config.arrival_trace)
    return { text: 'trace' };
  const rate = run.config.rate;
  if (hasSessions(run))
    return { text: `${rateText(run.config.session_rate)}/s`, note: 'sessions' };
  return typeof rate === 'number' && rate > 0 ? { value: rate, unit: '/s' } : { text: rate ? 'varies' : 'closed loop', note: rate ? rateText(rate) : '' };
}

function failedOf({ summary: { requests } }) {
  if (!requests)
    return { value: null };
  const others = ['dropped', 'unfinished'].filter((name) => requests[name] > 0).map((name) => `${requests[name]} ${name}`);
  return { value: requests.failed, note: others.join(', '), bad: requests.failed > 0 };
}

function endedEarly(run) { return Boolean(run.summary.end) && !['time', 'events'].includes(run.summary.end); }

function findingsOf(run) {
  const verdict = run.summary.audit && run.summary.audit.verdict;
  return verdict ? verdict.findings : null;
}

function verdictOf(run) {
  const findings = findingsOf(run);
  const ended = endedEarly(run) ? `ended by: ${run.summary.end}` : '';
  if (findings === null)
    return { text: 'not judged', note: ended || 'its report has no verdict' };
  if (findings.length === 0)
    return { text: 'VALID', good: true, note: ended };
  return { text: findings[0].name, bad: true, note: [...findings.slice(1).map((finding) => finding.name), ended].filter(Boolean).join(', ') };
}

// Returns "± 1.2", the distance in ms from a percentile to the bound of its 95 % interval that is farther away.
function precisionText(run, name, value) {
  const interval = ((run.summary.precision || {}).response_ms || {})[name];
  if (!interval)
    return '';
  if (Number.isFinite(interval.low) && interval.low !== null)
    return `± ${Number(Math.max(interval.high - value, value - interval.low).toPrecision(2))}`;
  return interval.needs_times ? `needs ${Math.round(interval.needs_times)} times as many requests` : '';
}

// Returns [{key, name, figure: {value, censored, unit, text, note, good, bad}}, …].
function glanceOf(run) {
  const times = run.summary.response_ms || {};
  const requests = run.summary.requests || {};
  return [
    { key: 'asked', name: 'asked', figure: askedOf(run) },
    { key: 'completed', name: 'completed', figure: { value: run.summary.completed_per_s, unit: '/s', note: `${requests.completed ?? 0} requests` } },
    ...Object.entries(run.glance).map(([name, figure]) => ({ key: name, name, figure: { ...figure, unit: ' ms', note: precisionText(run, name, figure.value) } })),
    { key: 'max', name: 'max', figure: { value: times.max, censored: times.max_censored, unit: ' ms' } },
    { key: 'failed', name: 'failed', figure: failedOf(run) },
    { key: 'verdict', name: 'verdict', figure: verdictOf(run) },
  ];
}

function figureText(figure) {
  if (figure.text !== undefined)
    return figure.text;
  return `${figure.censored ? '>' : ''}${shortNumber(figure.value)}`;
}

// A sign in addition to the colour, for people who cannot distinguish the colours.
function signOf(figure) { return figure.bad ? '✗ ' : figure.good ? '✓ ' : ''; }

function markOf(figure) { return figure.bad ? 'bad' : figure.good ? 'good' : ''; }

function tile({ key, name, figure }) {
  const box = make('div', undefined, markOf(figure));
  const value = make('dd', key === 'verdict' ? signOf(figure) + figureText(figure) : figureText(figure));
  if (figure.unit && Number.isFinite(figure.value))
    value.append(make('small', figure.unit));
  if (Number.isFinite(figure.value)) {
    value.title = String(figure.value);
    value.dataset.value = String(figure.value);
  }
  box.dataset.key = key;
  box.append(make('dt', name), value);
  if (figure.note)
    box.append(make('dd', figure.note, 'note'));
  return box;
}

function showTiles() {
  document.getElementById('tiles').append(...glanceOf(runs[0]).map(tile));
}

// The table of several runs has a row for each run, or for each combination of options that was run several times.

// Returns [{label, members: [run number, …]}, …].
function glanceRows() {
  const rows = new Map();
  runs.forEach((run, i) => {
    const values = differing.map((name) => run.config[name]);
    const key = differing.length > 0 && differing.length <= MOST_OPTIONS ? JSON.stringify(values) : i;
    rows.set(key, [...rows.get(key) || [], i]);
  });
  const repeated = rows.size < runs.length;
  return [...rows.values()].map((members) => ({ members,
    label: repeated ? differing.map((name) => `${optionName(name)}=${optionText(runs[members[0]].config[name])}`).join(', ') : labels[members[0]] }));
}

// Returns a cell with the median of repeated runs and their range; data-value has all digits.
function glanceCell(figures) {
  const values = figures.map((figure) => figure.value).filter(Number.isFinite);
  if (values.length === 0)
    return make('td', [...new Set(figures.map(figureText))].join(', '));
  const median = medianFigure(figures), least = Math.min(...values), most = Math.max(...values);
  const cell = figureCell(median.value, median.censored);
  if (most > least)
    cell.append(make('small', ` (${shortNumber(least)}–${shortNumber(most)})`));
  return cell;
}

function verdictCell(members) {
  const figures = members.map((i) => verdictOf(runs[i])), findings = members.flatMap((i) => findingsOf(runs[i]) || []);
  const bad = figures.some((figure) => figure.bad), valid = figures.filter((figure) => figure.good).length;
  const names = [...new Set([...findings.map((finding) => finding.name), ...figures.filter((figure) => !figure.bad && !figure.good).map(figureText)])];
  const share = bad && valid > 0 ? ` (${valid} of ${members.length} VALID)` : '';
  const cell = make('td', undefined, bad ? 'bad' : valid > 0 ? 'good' : '');
  const text = `${signOf({ bad, good: valid > 0 })}${names.join(', ') || 'VALID'}${share}`;
  const ended = [...new Set(members.map((i) => runs[i]).filter(endedEarly).map((run) => `ended by: ${run.summary.end}`))];
  if (findings.length === 0) {
    cell.append([text, ...ended].join(', '));
    return cell;
  }
  const details = make('details'), list = make('ul');
  list.append(...findings.map(findingItem));
  details.append(make('summary', [text, ...ended].join(', ')), list);
  cell.append(details);
  return cell;
}

// Sets the roles of a table explicitly: on a phone, the style sheet lays the table out as cards, which would hide its
// structure from screen readers.
function setRoles(table) {
  const roles = { TABLE: 'table', THEAD: 'rowgroup', TBODY: 'rowgroup', TR: 'row', TD: 'cell' };
  for (const part of [table, ...table.querySelectorAll('thead, tbody, tr, th, td')])
    part.setAttribute('role', roles[part.tagName] || (part.closest('thead') ? 'columnheader' : 'rowheader'));
}

function showGlance() {
  const table = document.getElementById('glance'), rows = glanceRows();
  const all = runs.map(glanceOf), columns = all[0].map(({ name, figure }) => figure.unit === ' ms' ? `${name}, ms` : figure.unit ? `${name}${figure.unit}` : name);
  table.createTHead().insertRow().append(make('th', rows.length < runs.length ? 'runs' : 'run'), ...columns.map((name) => make('th', name)));
  const body = table.createTBody();
  for (const { label, members } of rows) {
    const row = body.insertRow(), head = make('th', members.length > 1 ? `${label}, ${members.length} runs` : label);
    if (members.length === 1)
      head.prepend(swatch({ color: members[0] }), ' ');
    row.append(head, ...all[0].slice(0, -1).map((_, k) => glanceCell(members.map((i) => all[i][k].figure))), verdictCell(members));
    [...row.cells].slice(1).forEach((cell, k) => { cell.dataset.name = columns[k]; });
  }
  setRoles(table);
  document.getElementById('glance-box').hidden = false;
}
