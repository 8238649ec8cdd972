// SPDX-License-Identifier: GPL-2.0-or-later
// Tables of injections: response times before, during and after each of them.
'use strict';

const INJECTION_SPANS = ['before', 'during', 'after'];

function injectionsOf(run) { return (run.injections || []).filter(({ before, during, after, recovery }) => before && during && after && recovery); }

function injectionOutcome(injection) {
  const { level_ms: level, after_s: after, percentile, window_s: seconds } = injection.recovery;
  const ended = injection.error ? `failed: ${injection.error}` : injection.state;
  const back = after !== null ? `back ${shortNumber(after)} s after its end` : level === null ? 'recovery unknown' : 'not back within the run';
  const limit = level === null ? '' : ` (p${percentile} of ${shortNumber(seconds)} s at most ${shortNumber(level)} ms)`;
  const waits = injection.wait_events ? `; waits: ${spanWaits(injection.wait_events)}` : '';
  return `${timeText(injection.from_s)} to ${timeText(injection.to_s)}, ${ended}; ${back}${limit}${waits}`;
}

// Adds a row. `pick` returns the figure of one span.
function injectionRow(body, name, injection, pick) {
  const row = body.insertRow();
  const cells = INJECTION_SPANS.map((span) => pick(injection[span])).map((figure) =>
    figure !== null && typeof figure === 'object' ? figureCell(figure.value, figure.censored) : figureCell(figure));
  row.append(make('th', name), ...cells);
}

function injectionTable(injection) {
  const table = make('table', undefined, 'spans');
  table.createTHead().insertRow().append(make('th', ''), ...INJECTION_SPANS.map((span) => make('th', span)));
  const body = table.createTBody();
  injectionRow(body, 'seconds', injection, (span) => span.to_s - span.from_s);
  injectionRow(body, 'requests', injection, (span) => span.requests);
  injectionRow(body, 'mean, ms', injection, ({ response_ms: times }) => ({ value: times.mean, censored: times.mean_censored }));
  for (const p of Object.keys(injection.before.response_ms.percentiles))
    injectionRow(body, p, injection, (span) => span.response_ms.percentiles[p]);
  injectionRow(body, 'max', injection, ({ response_ms: times }) => ({ value: times.max, censored: times.max_censored }));
  if (INJECTION_SPANS.some((span) => injection[span].connect_ms)) {
    const connects = (pick) => ({ connect_ms: times }) => times ? pick(times) : null;
    injectionRow(body, 'connects', injection, connects((times) => times.count));
    for (const p of Object.keys((injection.during.connect_ms || { percentiles: {} }).percentiles))
      injectionRow(body, `time to connect, ${p}`, injection, connects((times) => times.percentiles[p]));
    injectionRow(body, 'time to connect, max', injection, connects((times) => times.max));
  }
  return table;
}

// Returns the last lines of the output of a command, or nothing if it has written nothing.
function injectionOutput(injection) {
  const lines = (injection.output || '').trimEnd().split('\n').slice(-10);
  return lines.join('') ? [make('pre', lines.join('\n'))] : [];
}

function showInjections() {
  const section = document.getElementById('injections');
  runs.forEach((run, i) => injectionsOf(run).forEach((injection) => {
    const title = `${injection.number}. ${injection.kind}: ${injection.text}`;
    const box = make('div', undefined, 'scroll');
    box.append(injectionTable(injection));
    section.append(make('h3', runs.length > 1 ? `${labels[i]}: ${title}` : title), make('p', injectionOutcome(injection), 'hint'), ...injectionOutput(injection), box);
    section.hidden = false;
  }));
}
