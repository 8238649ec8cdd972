// SPDX-License-Identifier: GPL-2.0-or-later
// The head of the page, the findings, the summary and the configuration.
'use strict';

const FEW_RUNS = 3;           // summaries of up to this many runs are shown side by side
const MANY_RUNS = 8;          // the summary of this many runs is collapsed

function showHead() {
  const tests = [...new Set(runs.map((run) => run.test === null ? 'standard input' : run.test))];
  const title = single && runs[0].archived ? `${runs[0].archived.title}: ${tests[0]}` : tests.join(', ');
  document.title = `${title} – sysrate`;
  document.getElementById('title').textContent = title;
  document.getElementById('subtitle').textContent = runs.length > 1
    ? `${runs.length} runs, ${periodText()}`
    : `${startText(runs[0], 19)} UTC, ${workText(runs[0])}`;
  if (single)
    document.getElementById('subtitle').append(...labelsOf(runs[0]).map((label) => make('span', label, 'label')));
  document.getElementById('footer').textContent =
    `${runs[0].tool.name} ${runs[0].tool.version}. Charts: dygraphs (MIT licence). The figures are those of the JSON report; hold the pointer over one to see all its digits.`;
}

// Returns when the first and the last of several runs started: their order on the page is another one.
function periodText() {
  const known = runs.filter((run) => typeof run.started === 'string').sort((a, b) => (a.started < b.started ? -1 : 1));
  return known.length === 0 ? '-' : `${startText(known[0], 16)} to ${startText(known[known.length - 1], 16)} UTC`;
}

// Returns the labels of a run as texts "NAME=VALUE": those in the archive, if the service has added them, or else those in
// the report.
function labelsOf(run) {
  const kept = run.archived && Object.entries(run.archived.labels || {}).map(([name, value]) => `${name}=${value}`);
  return kept || (Array.isArray(run.config.label) ? run.config.label.map(String) : []);
}

// Returns a rate that varies, such as "0s:100, 10s:500", with blanks, so that a line never ends within a number.
function rateText(rate) { return String(rate).replaceAll(',', ', '); }

// A report that another program wrote may lack the start time.
function startText(run, length) { return typeof run.started === 'string' ? run.started.slice(0, length).replace('T', ' ') : '-'; }

function hasSessions(run) { return Boolean(run.summary.sessions); }

function workText(run) {
  const rate = run.config.rate || run.config.arrival_trace;
  const workers = `${run.config.threads} worker${run.config.threads === 1 ? '' : 's'}`;
  if (hasSessions(run))
    return `${workers}, ${rateText(run.config.session_rate)} sessions/s, requests: ${run.config.session_length}, think time: ${run.config.think}`;
  return rate ? `${workers}, arrival rate ${rateText(rate)}${typeof rate === 'number' ? '/s' : ''}` : `${workers}, closed loop`;
}

// Returns a list item "NAME: figure. Advice".
function findingItem(finding) { return make('li', `${finding.name}: ${finding.figure.replace(/\.$/, '')}. ${finding.advice}`); }

// Shows the findings of a single run below the tiles. Findings of several runs are in their table.
function showVerdicts() {
  const findings = single ? findingsOf(runs[0]) : null;
  if (!findings)
    return;
  const section = document.getElementById('verdict'), { remark, plan_remark: plans } = runs[0].summary.audit.verdict;
  if (findings.length > 0) {
    const box = make('div', undefined, 'bad'), list = make('ul');
    list.append(...findings.map(findingItem));
    box.append(list);
    section.append(box);
  }
  if (remark)
    section.append(make('div', `Overload: ${remark}.`, 'bad'));
  if (plans)
    section.append(make('div', `Plans: ${plans}.`, 'bad'));
}

// Returns a text for each kind of write of which more than 1 % changed nothing, because the rate then overstates the work.
function noOpFindings(run) {
  const cause = run.summary.no_op_cause ? `: ${run.summary.no_op_cause}` : '';
  return Object.entries(run.summary.effects || {}).filter(([, effect]) => effect.no_op_writes > 0.01 * effect.count)
    .map(([kind, effect]) => `${(100 * effect.no_op_writes / effect.count).toFixed(2)} % of the writes of kind ${kind} changed nothing${cause}`);
}

function showNoOps() {
  const section = document.getElementById('verdict');
  runs.forEach((run, i) => section.append(...noOpFindings(run).map((text) =>
    make('div', single ? text : `${labels[i]}: ${text}`, 'bad'))));
}

// Returns a cell with a rounded figure; data-value and the tooltip have all digits.
function figureCell(value, censored) {
  const known = value !== null && value !== undefined;
  const cell = make('td', !known ? '–' : typeof value === 'number' ? (censored ? '>' : '') + shortNumber(value) : String(value));
  if (known) {
    cell.dataset.value = String(value);
    cell.title = String(value);
  }
  return cell;
}

function tableHead(table) {
  const row = table.createTHead().insertRow();
  row.append(make('th', ''), ...labels.map((label) => make('th', runs.length > 1 ? label : '')));
}

// Adds a row. `pick` returns the figure, or {value, censored}. If no run has the figure, the row is left out.
function summaryRow(body, name, key, pick) {
  const figures = runs.map((run) => pick(run.summary));
  if (figures.every((figure) => figure === undefined || figure === null))
    return;
  const row = body.insertRow();
  row.dataset.key = key;
  row.append(make('th', name), ...figures.map((figure) =>
    figure !== null && typeof figure === 'object' ? figureCell(figure.value, figure.censored) : figureCell(figure)));
}

// Adds a part of the summary as a table of its own. `fill` adds the rows. A table without rows is left out.
function part(title, fill) {
  const table = make('table'), box = make('div', undefined, 'part');
  if (runs.length > 1)
    tableHead(table);
  const body = table.createTBody();
  fill(body);
  if (body.rows.length === 0)
    return;
  box.append(make('h3', title), table);
  document.getElementById('summary').append(box);
}

function heading(body, text) {
  const cell = make('th', text);
  cell.colSpan = runs.length + 1;
  body.insertRow().append(cell);
}

function distributionPart(title, key) {
  if (!runs.some((run) => run.summary[key]))
    return;
  const percentiles = [...new Set(runs.flatMap((run) => Object.keys(run.summary[key] && run.summary[key].percentiles || {})))]
    .sort((a, b) => a.slice(1) - b.slice(1));
  part(title, (body) => distributionRows(body, key, percentiles));
}

function distributionRows(body, key, percentiles) {
  summaryRow(body, 'min', `${key}.min`, (s) => s[key] && s[key].min);
  summaryRow(body, 'mean', `${key}.mean`, (s) => s[key] && { value: s[key].mean, censored: s[key].mean_censored });
  for (const p of percentiles)
    summaryRow(body, p, `${key}.percentiles.${p}`, (s) => s[key] && s[key].percentiles[p]);
  summaryRow(body, 'max', `${key}.max`, (s) => s[key] && { value: s[key].max, censored: s[key].max_censored });
}

// Adds a row for each host name and figure. Runs may have different hosts.
function hostRows(body) {
  const names = [...new Set(runs.flatMap((run) => (run.summary.hosts || []).map((host) => host.name)))];
  const figures = [['completed', (t) => t.completed], ['failed', (t) => t.failed], ['errors', (t) => t.counters.errors],
    ['connections lost', (t) => t.lost], ['mean response, ms', (t) => t.response_ms.mean]];
  for (const name of names)
    for (const [label, pick] of figures)
      summaryRow(body, `${name}: ${label}`, `hosts.${name}.${label}`, (s) => {
        const host = (s.hosts || []).find((one) => one.name === name);
        return host && pick(host);
      });
}

function typeRows(body, list, figures) {
  const names = [...new Set(runs.flatMap((run) => (run.summary[list] || []).map((type) => type.type)))];
  for (const name of names)
    for (const [label, pick] of figures)
      summaryRow(body, `${name}: ${label}`, `${list}.${name}.${label}`, (s) => {
        const type = (s[list] || []).find((one) => one.type === name);
        return type && pick(type);
      });
}

// Returns the texts of the scripts' remarks, without duplicates. Runs may have different remarks.
function remarksOf(kind) {
  return [...new Set(runs.flatMap((run) => run.summary.remarks && run.summary.remarks[kind] || []).map((one) => one.text || one))];
}

function auditRows(body) {
  for (const name of new Set(runs.flatMap((run) => Object.keys(run.summary.remarks && run.summary.remarks.figures || {}))))
    summaryRow(body, name, `remarks.figures.${name}`, (s) => s.remarks && s.remarks.figures[name]);
  for (const text of remarksOf('audits'))
    summaryRow(body, text, `remarks.audits.${text}`, (s) => {
      const audit = s.remarks && s.remarks.audits.find((one) => one.text === text);
      return audit && (Number.isFinite(audit.mean) ? `${audit.mean.toPrecision(4)} ${String(audit.state).replace('_', ' ')}` : 'nothing counted');
    });
}

function deviationRows(body) {
  for (const text of remarksOf('deviations'))
    summaryRow(body, text, `remarks.deviations.${text}`, (s) => s.remarks && (s.remarks.deviations.includes(text) ? 'deviates' : 'no'));
}

function requestRows(body) {
  for (const name of ['offered', 'completed', 'failed', 'dropped', 'unfinished'])
    summaryRow(body, name, `requests.${name}`, (s) => s.requests && s.requests[name]);
  summaryRow(body, 'completed per second', 'completed_per_s', (s) => s.completed_per_s);
  summaryRow(body, 'seconds', 'elapsed_s', (s) => s.elapsed_s);
  summaryRow(body, 'ended by', 'end', (s) => s.end);
  summaryRow(body, 'exit code', 'exit_code', (s) => s.exit_code);
}

function statementRows(body) {
  for (const name of ['reads', 'writes', 'other', 'errors', 'reconnects'])
    summaryRow(body, name, `counters.${name}`, (s) => s.counters && s.counters[name]);
  for (const kind of ['update', 'insert', 'delete', 'other'])
    summaryRow(body, `${kind}: changed nothing`, `effects.${kind}.no_op_writes`, (s) => s.effects && s.effects[kind] && s.effects[kind].no_op_writes);
}

// Returns the work per completed request of a run: {server: {log_bytes: 812.3, …}, machine: {…}}.
function workOf(run) { return run.probes && run.probes.work_per_request || {}; }

function workRows(body) {
  for (const source of new Set(runs.flatMap((run) => Object.keys(workOf(run)).filter((name) => name !== 'requests'))))
    for (const name of new Set(runs.flatMap((run) => Object.keys(workOf(run)[source] || {})))) {
      const figures = runs.map((run) => (workOf(run)[source] || {})[name]);
      if (figures.every((figure) => figure === undefined || figure === null))
        continue;
      const row = body.insertRow();
      row.dataset.work = `${source}.${name}`;
      row.append(make('th', `${source}: ${name.replaceAll('_', ' ')}`), ...figures.map((figure) => figureCell(figure)));
    }
}

function showSummary() {
  const box = document.getElementById('summary');
  box.classList.toggle('many', runs.length > FEW_RUNS);
  box.classList.toggle('too-many', runs.length > MANY_RUNS);
  box.style.setProperty('--runs', runs.length);
  document.getElementById('summary-fold').open = runs.length <= MANY_RUNS;
  part('Requests', requestRows);
  distributionPart('Response time, ms', 'response_ms');
  distributionPart('Wait, ms', 'wait_ms');
  distributionPart('Wait for a connection, ms', 'connection_wait_ms');
  distributionPart('Service, ms', 'service_ms');
  distributionPart('Generator lag, µs', 'generator_lag_us');
  distributionPart('Time to connect, ms', 'connect_ms');
  distributionPart('Staleness of replicas, ms', 'staleness_ms');
  part('Quality', qualityRows);
  part('Statements', statementRows);
  part('Work per completed request', workRows);
  part('Hosts', hostRows);
  part('Types of events', (body) => typeRows(body, 'event_types', [['completed', (t) => t.completed], ['failed', (t) => t.failed],
    ['errors', (t) => t.counters.errors], ['mean response, ms', (t) => t.response_ms.mean]]));
  part('Deferred work', (body) => typeRows(body, 'deferred', [['queued', (t) => t.queued], ['completed', (t) => t.completed],
    ['failed', (t) => t.failed], ['unfinished', (t) => t.unfinished], ['mean completion, ms', (t) => t.response_ms.mean]]));
  part('Self-audit', auditRows);
  part('Deviations from the specification', deviationRows);
}

function optionText(value) {
  if (value === null || value === undefined)
    return '–';
  return Array.isArray(value) ? value.join(', ') : String(value);
}

function configurationRows(body, configs, differs) {
  for (const name of new Set(configs.flatMap((config) => Object.keys(config)))) {
    const row = body.insertRow();
    row.className = differs(name) ? 'differs' : '';
    row.append(make('th', name), ...configs.map((config) => make('td', optionText(config[name]))));
  }
}

function showConfiguration() {
  const table = document.getElementById('config');
  if (runs.length > 1)
    tableHead(table);
  const body = table.createTBody();
  configurationRows(body, runs.map((run) => run.config), (name) => differing.includes(name));
  const ofServers = runs.map((run) => run.server_config || {});
  if (ofServers.every((settings) => Object.keys(settings).length === 0))
    return;
  heading(body, 'The server');
  configurationRows(body, ofServers, (name) => new Set(ofServers.map((settings) => settings[name])).size > 1);
}
