// SPDX-License-Identifier: GPL-2.0-or-later
// Table of the plans by which statements were executed at the beginning and at the end of a run. Plans that changed come first.
'use strict';

function plansOf(run) {
  const plans = run.plans || [];
  return [...plans.filter((plan) => plan.changed), ...plans.filter((plan) => !plan.changed)];
}

function planCells(plan) {
  const first = plan.first === null ? '–' : plan.first.shape, last = plan.last === null ? '–' : plan.last.shape;
  return [plan.class, plan.failure ? `not explained: ${plan.failure}` : plan.changed ? 'changed' : 'as before', first, plan.changed ? last : ''];
}

function planTable(run) {
  const table = make('table');
  table.createTHead().insertRow().append(...['statements', 'plan', 'at the beginning', 'at the end'].map((head) => make('th', head)));
  const body = table.createTBody();
  plansOf(run).forEach((plan) => body.insertRow().append(...planCells(plan).map((cell) => make('td', cell))));
  return table;
}

function showPlans() {
  const section = document.getElementById('plans');
  runs.forEach((run, i) => {
    if (plansOf(run).length === 0)
      return;
    const box = make('div', undefined, 'scroll');
    box.append(planTable(run));
    section.append(...(runs.length > 1 ? [make('h3', labels[i])] : []), box);
    section.hidden = false;
  });
}
