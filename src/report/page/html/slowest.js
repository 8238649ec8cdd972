// SPDX-License-Identifier: GPL-2.0-or-later
// Tables of single requests: the slowest ones of a run, and those that were kept in a cell of the heat map.
'use strict';

function slowestOf(run) { return run.slowest ? run.slowest.requests : []; }

// Returns all requests that were kept.
function keptOf(run) { return run.slowest ? [...run.slowest.requests, ...run.slowest.others] : []; }

function statementText(s) {
  const end = s.ms === null ? 'not finished' : `${s.ms.toFixed(2)} ms`;
  const result = s.error ? `, error ${s.error.code}${s.error.state ? ` (${s.error.state})` : ''}` : s.rows === null ? '' : `, rows ${s.rows}`;
  return `at ${s.start_ms.toFixed(2)} ms: ${s.class || '–'}, ${end}${result}`;
}

function waitText(wait) { return `${wait.event} ${Math.round(wait.percent)} %`; }

function holderText({ table, blocker }) {
  const place = [blockerText(blocker), table ? `on ${table}` : ''].filter(Boolean).join(', ');
  return blocker && blocker.text ? `${place}: ${blocker.text}` : place;
}

function linesCell(lines) {
  const cell = make('td');
  cell.append(...lines.map((line) => make('div', line)));
  return cell;
}

function requestRow(row, r) {
  const statements = r.statements.map(statementText);
  if (r.statements_left_out > 0)
    statements.push(`and ${r.statements_left_out} shorter`);
  row.append(figureCell(r.response_ms), make('td', timeText(r.arrived_s)), make('td', r.type === null ? r.outcome : `${r.type}, ${r.outcome}`),
    make('td', r.host === null ? String(r.worker) : `${r.worker}, ${r.host}`), figureCell(r.client_late_ms), figureCell(r.waiting_ms + (r.connection_wait_ms || 0)),
    figureCell(r.service_ms), figureCell(r.retries), linesCell(statements), linesCell((r.waits || []).map(waitText)),
    linesCell((r.blocked_by || []).map(holderText)));
}

function requestTable(requests) {
  const table = make('table', undefined, 'requests');
  const heads = ['response, ms', 'arrived', 'outcome', 'worker', 'client late, ms', 'waiting, ms', 'service, ms', 'retries', 'statements', 'waits', 'blocked by'];
  table.createTHead().insertRow().append(...heads.map((head) => make('th', head)));
  const body = table.createTBody();
  requests.forEach((r) => requestRow(body.insertRow(), r));
  return table;
}

function requestBox(requests) {
  const box = make('div', undefined, 'scroll');
  box.append(requestTable(requests));
  return box;
}

// Returns the kept requests that ended in interval i of the heat map and whose response times are in a bucket. Requests that
// were unfinished at the end of the run are in the last interval.
function keptIn(run, heat, i, bucket) {
  const last = heat.ends.length - 1, low = heatLower(bucket) / 1e6, high = heatLower(bucket + 1) / 1e6;
  return keptOf(run).filter((r) => Math.min(last, lowerBound(heat.ends, r.ended_s)) === i && r.response_ms >= low && r.response_ms < high)
    .sort((a, b) => b.response_ms - a.response_ms);
}

// Shows the kept requests of a cell below the map.
function showCell(figure, run, heat, i, bucket) {
  const requests = keptIn(run, heat, i, bucket), box = make('div', undefined, 'cell');
  box.append(make('p', `${heatText(heat, i, bucket)}, ${requests.length} kept`, 'hint'));
  if (requests.length > 0)
    box.append(requestBox(requests));
  figure.querySelectorAll('.cell').forEach((old) => old.remove());
  figure.append(box);
  say(box.firstChild.textContent);
}

// Marks the requests that were kept by small circles on the map.
function paintKept(run, context, area, graph) {
  context.save();
  context.beginPath();
  context.rect(area.x, area.y, area.w, area.h);
  context.clip();
  context.fillStyle = cssColor('--card');
  context.strokeStyle = cssColor('--text');
  for (const r of keptOf(run)) {
    context.beginPath();
    context.arc(graph.toDomXCoord(r.ended_s), graph.toDomYCoord(Math.max(r.response_ms, 1e-6)), 2.5, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
  }
  context.restore();
}

function showSlowest() {
  const section = document.getElementById('slowest');
  runs.forEach((run, i) => {
    if (slowestOf(run).length === 0)
      return;
    section.append(...(runs.length > 1 ? [make('h3', labels[i])] : []), requestBox(slowestOf(run)));
    section.hidden = false;
  });
}
