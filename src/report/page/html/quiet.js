// SPDX-License-Identifier: GPL-2.0-or-later
// Lines of text below the charts, each in place of a chart whose values are all 0.
'use strict';

const MAGNITUDE = 30;         // a series that is this many times smaller than another one has an axis of its own

const quiet = [];

function largest(series, rows) {
  let most = 0;
  for (let i = 0; i < rows; i++)
    most = Math.max(most, Math.abs(series.value(i)) || 0);
  return most;
}

function isQuiet(series, rows) { return series.every((one) => largest(one, rows) === 0); }

// Returns groups of series that can share an axis, the largest first; series of zeros are in the group of the smallest ones.
function byMagnitude(series, rows) {
  const sorted = series.map((one) => ({ one, most: largest(one, rows) })).sort((a, b) => b.most - a.most);
  const groups = [];
  let top = Infinity;
  for (const { one, most } of sorted) {
    if (groups.length === 0 || most > 0 && most * MAGNITUDE < top) {
      groups.push([]);
      top = most;
    }
    groups[groups.length - 1].push(one);
  }
  return groups.map((members) => series.filter((one) => members.includes(one)));
}

// Adds a chart for each magnitude. If there are several, `own(labels)` returns the title of one of them.
function addByMagnitude(id, title, own, note, series, options) {
  byMagnitude(series.filter(Boolean), timeline.xs.length).forEach((members, part, all) => {
    const names = members.map((one) => one.label).join(', ');
    addOverTime(part > 0 ? `${id}-${part}` : id, all.length > 1 ? own(names) : title, note, members, options);
  });
}

function showQuiet() {
  const list = document.getElementById('quiet');
  list.append(...quiet.map((text) => make('li', text)));
  list.hidden = quiet.length === 0;
}
