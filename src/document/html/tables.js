// SPDX-License-Identifier: GPL-2.0-or-later
// The head of the page, the verdicts, the summary and the configuration.
'use strict';

const FEW_RUNS = 3; // whose findings are all shown at once

function showHead() {
  const tests = [...new Set(runs.map((run) => run.test === null ? 'standard input' : run.test))];
  const title = tests.join(', ');
  document.title = `${title} – sysrate`;
  document.getElementById('title').textContent = title;
  document.getElementById('subtitle').textContent = runs.length > 1
    ? `${runs.length} runs, ${runs[0].started.slice(0, 16).replace('T', ' ')} to ${runs[runs.length - 1].started.slice(0, 16).replace('T', ' ')} UTC`
    : `${runs[0].started.slice(0, 19).replace('T', ' ')} UTC, ${workText(runs[0])}`;
  document.getElementById('footer').textContent =
    `${runs[0].tool.name} ${runs[0].tool.version}. Charts: dygraphs (MIT licence). The figures are those of the JSON report; hold the pointer over one to see all its digits.`;
}

function workText(run) {
  const rate = run.config.rate || run.config.arrival_trace;
  const workers = `${run.config.threads} worker${run.config.threads === 1 ? '' : 's'}`;
  return rate ? `${workers}, arrival rate ${rate}${typeof rate === 'number' ? '/s' : ''}` : `${workers}, closed loop`;
}

// Of several runs, the valid ones share a box.
function showVerdicts() {
  const section = document.getElementById('verdict');
  const valid = runs.map((run, i) => i).filter((i) => runs.length > 1 && isPlainlyValid(runs[i]));
  section.append(...runs.flatMap((run, i) => valid.includes(i) ? [] : [verdictBox(run, labels[i])]));
  if (valid.length > 0) {
    const box = make('div', undefined, 'good');
    box.append(`${valid.map((i) => labels[i]).join(', ')}: `, make('strong', 'VALID'));
    section.append(box);
  }
}

function endedEarly(run) { return Boolean(run.summary.end) && !['time', 'events'].includes(run.summary.end); }

function isPlainlyValid(run) {
  const verdict = run.summary.trust && run.summary.trust.verdict;
  return Boolean(verdict) && verdict.valid && !endedEarly(run);
}

// With many runs, what each was found guilty of would push the charts off the screen.
function foldedUp(list) {
  const details = make('details');
  details.append(make('summary', 'figures and advice'), list);
  return details;
}

function verdictBox(run, label) {
  const box = make('div');
  const verdict = run.summary.trust && run.summary.trust.verdict;
  const name = runs.length > 1 ? `${label}: ` : '';
  const ended = endedEarly(run) ? ` The run was ended by: ${run.summary.end}.` : '';
  if (!verdict) {
    box.textContent = `${name}no verdict (only runs at an arrival rate are judged).${ended}`;
    return box;
  }
  box.className = verdict.valid ? 'good' : 'bad';
  box.append(name, make('strong', verdict.valid ? 'VALID' : verdict.findings.map((finding) => finding.name).join(', ')), ended);
  if (!verdict.valid) {
    const list = make('ul');
    list.append(...verdict.findings.map((finding) => make('li', `${finding.name}: ${finding.figure.replace(/\.$/, '')}. ${finding.advice}`)));
    box.append(runs.length > FEW_RUNS ? foldedUp(list) : list);
  }
  return box;
}

// Kinds of writes of which more than 1 % changed nothing: a rate made of these is none.
function noOpFindings(run) {
  const cause = run.summary.no_op_cause ? `: ${run.summary.no_op_cause}` : '';
  return Object.entries(run.summary.effects || {}).filter(([, effect]) => effect.no_ops > 0.01 * effect.count)
    .map(([kind, effect]) => `${(100 * effect.no_ops / effect.count).toFixed(2)} % of the writes of kind ${kind} changed nothing${cause}`);
}

function showNoOps() {
  const section = document.getElementById('verdict');
  runs.forEach((run, i) => section.append(...noOpFindings(run).map((text) =>
    make('div', runs.length > 1 ? `${labels[i]}: ${text}` : text, 'bad'))));
}

// One figure: rounded for the eye, all digits in data-value and the tip.
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

// `pick` gives the figure, or {value, censored}. A row that no run has is left out.
function summaryRow(body, name, key, pick) {
  const figures = runs.map((run) => pick(run.summary));
  if (figures.every((figure) => figure === undefined || figure === null))
    return;
  const row = body.insertRow();
  row.dataset.key = key;
  row.append(make('th', name), ...figures.map((figure) =>
    figure !== null && typeof figure === 'object' ? figureCell(figure.value, figure.censored) : figureCell(figure)));
}

function heading(body, text) {
  const cell = make('th', text);
  cell.colSpan = runs.length + 1;
  body.insertRow().append(cell);
}

function distributionRows(body, title, key) {
  if (!runs.some((run) => run.summary[key]))
    return;
  const percentiles = [...new Set(runs.flatMap((run) => Object.keys(run.summary[key] && run.summary[key].percentiles || {})))]
    .sort((a, b) => a - b);
  heading(body, title);
  summaryRow(body, 'minimum', `${key}.min`, (s) => s[key] && s[key].min);
  summaryRow(body, 'mean', `${key}.mean`, (s) => s[key] && { value: s[key].mean, censored: s[key].mean_censored });
  for (const p of percentiles)
    summaryRow(body, `${p} %`, `${key}.percentiles.${p}`, (s) => s[key] && s[key].percentiles[p]);
  summaryRow(body, 'maximum', `${key}.max`, (s) => s[key] && { value: s[key].max, censored: s[key].max_censored });
}

// Hosts have names that are the same in all runs, or not: a row for each name and figure.
function targetRows(body) {
  const names = [...new Set(runs.flatMap((run) => (run.summary.targets || []).map((target) => target.name)))];
  const figures = [['completed', (t) => t.completed], ['failed', (t) => t.failed], ['errors', (t) => t.counters.errors],
    ['connections lost', (t) => t.lost], ['mean response, ms', (t) => t.response_ms.mean]];
  if (names.length > 0)
    heading(body, 'Hosts');
  for (const name of names)
    for (const [label, pick] of figures)
      summaryRow(body, `${name}: ${label}`, `targets.${name}.${label}`, (s) => {
        const target = (s.targets || []).find((one) => one.name === name);
        return target && pick(target);
      });
}

function showSummary() {
  const table = document.getElementById('summary');
  if (runs.length > 1)
    tableHead(table);
  const body = table.createTBody();
  heading(body, 'Requests');
  for (const name of ['offered', 'completed', 'failed', 'dropped', 'unfinished'])
    summaryRow(body, name, `requests.${name}`, (s) => s.requests && s.requests[name]);
  summaryRow(body, 'completed per second', 'completed_per_s', (s) => s.completed_per_s);
  summaryRow(body, 'seconds', 'elapsed_s', (s) => s.elapsed_s);
  distributionRows(body, 'Response time, ms', 'response_ms');
  distributionRows(body, 'Wait, ms', 'wait_ms');
  distributionRows(body, 'Service, ms', 'service_ms');
  distributionRows(body, 'Generator lag, µs', 'generator_lag_us');
  heading(body, 'Statements');
  for (const name of ['reads', 'writes', 'other', 'errors', 'reconnects'])
    summaryRow(body, name, `counters.${name}`, (s) => s.counters && s.counters[name]);
  for (const kind of ['update', 'insert', 'delete', 'other'])
    summaryRow(body, `${kind}: changed nothing`, `effects.${kind}.no_ops`, (s) => s.effects && s.effects[kind] && s.effects[kind].no_ops);
  targetRows(body);
  heading(body, 'End');
  summaryRow(body, 'ended by', 'end', (s) => s.end);
  summaryRow(body, 'exit code', 'exit_code', (s) => s.exit_code);
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
