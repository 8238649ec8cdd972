// SPDX-License-Identifier: GPL-2.0-or-later
// Charts without a pointer: arrow keys read the values, + and − zoom, 0 shows everything.
'use strict';

const LEAST_ROWS = 4;         // minimum number of rows in a zoomed window

const KEYS_HELP = 'Left and right arrows read the values, up and down those of a heat map, Enter shows requests of its cell, plus and minus zoom, 0 shows all.';

function say(text) { document.getElementById('said').textContent = text; }

class ChartKeys {
  constructor(chart) {
    this.chart = chart;
    this.row = null;          // index in xs of the values that are being read
    this.y = null;            // y of the cell of a heat map that is being read
    this.line = make('div', undefined, 'cursor');
    this.line.hidden = true;
    const { plot, spec } = chart;
    plot.tabIndex = 0;
    plot.setAttribute('role', 'application');
    plot.setAttribute('aria-roledescription', 'chart');
    plot.setAttribute('aria-label', `${spec.title}, ${spec.note || ''}. ${KEYS_HELP}`);
    plot.addEventListener('keydown', (event) => this.press(event));
    plot.addEventListener('blur', () => this.leave());
  }

  attach() { this.chart.plot.append(this.line); }

  press(event) {
    const action = { ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1), ArrowUp: () => this.rise(1), ArrowDown: () => this.rise(-1),
      Enter: () => this.open(), '+': () => this.zoom(0.5), '=': () => this.zoom(0.5), '-': () => this.zoom(2), 0: () => this.chart.reset() }[event.key];
    if (!action || event.ctrlKey || event.altKey || event.metaKey)
      return;
    event.preventDefault();
    action();
    if (event.key !== 'Enter')
      this.show();
  }

  step(by) {
    const { xs } = this.chart.spec, [from, to] = this.chart.graph.xAxisRange();
    if (this.row === null)
      this.row = by > 0 ? lowerBound(xs, from) : lowerBound(xs, to);
    else
      this.row += by;
    this.row = Math.max(0, Math.min(xs.length - 1, this.row));
    const x = xs[this.row], shift = x < from ? x - to + (to - from) / 10 : x > to ? x - from - (to - from) / 10 : 0;
    if (shift !== 0)
      this.chart.showWindow([from + shift, to + shift]);
  }

  rise(up) {
    const { nextCell, xs } = this.chart.spec;
    if (!nextCell)
      return;
    if (this.row === null)
      this.step(1);
    this.y = nextCell(xs[this.row], this.y, up);
  }

  open() {
    const { figure, spec } = this.chart;
    if (spec.openCell && this.row !== null)
      spec.openCell(figure, spec.xs[this.row], this.y);
  }

  zoom(factor) {
    const { graph, spec } = this.chart, [from, to] = graph.xAxisRange(), { xs } = spec;
    const middle = this.row === null ? (from + to) / 2 : xs[this.row], width = (to - from) * factor;
    const [first, last] = this.chart.fullWindow(), start = Math.max(first, Math.min(last - width, middle - width / 2));
    const rows = lowerBound(xs, start + width) - lowerBound(xs, start);
    if (factor > 1 || rows >= LEAST_ROWS)
      this.chart.showWindow([start, start + width]);
  }

  // Draws a line at the values that are being read, and passes the values to screen readers.
  show() {
    const { chart, row } = this;
    if (row === null)
      return;
    const x = chart.spec.xs[row], place = chart.graph.toDomXCoord(chart.middle(row)), area = chart.graph.getArea();
    this.line.hidden = place < area.x || place > area.x + area.w;
    this.line.style.left = `${place}px`;
    this.line.style.height = `${area.h}px`;
    chart.group.showAt(chart, x);
    if (chart.spec.cellText)
      chart.at.textContent = chart.spec.cellText(x, this.y);
    say(chart.textAt(row));
  }

  leave() {
    this.line.hidden = true;
    this.row = this.y = null;
    this.chart.group.showAt(this.chart, null);
  }
}
