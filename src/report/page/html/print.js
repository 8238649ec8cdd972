// SPDX-License-Identifier: GPL-2.0-or-later
// Printing: the page gets one column as wide as the paper, the colours of the light theme, and redrawn charts.
'use strict';

// The layout for paper (page.css) is applied before the charts are drawn, since they take their sizes from it.
function forPaper(on) {
  const controls = document.getElementById('controls'), legend = document.getElementById('legend');
  document.documentElement.classList.toggle('paper', on);
  if (on)
    controls.after(legend);
  else
    controls.append(legend);
  group.resize();
  group.redraw();
}

function addPrinting() {
  let closed = [];
  addEventListener('beforeprint', () => {
    closed = [...document.querySelectorAll('details:not([open])')];
    closed.forEach((details) => { details.open = true; });
    forPaper(true);
  });
  addEventListener('afterprint', () => {
    closed.forEach((details) => { details.open = false; });
    forPaper(false);
  });
}
