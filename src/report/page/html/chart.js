// SPDX-License-Identifier: GPL-2.0-or-later
// A chart: drawn by dygraphs, with a legend of our own, and reduced to as many rows as can be seen.
'use strict';

const FEW_ROWS = 40;          // charts that are not over time and have fewer rows have a point for each row
const BUCKETS = 700;          // number of groups of rows, each drawn as its extremes, if there are many more rows
const TIME_STEPS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200,
  10800, 21600, 43200, 86400, 172800, 604800];

function timeTicker(from, to, pixels) {
  const room = Math.max(2, pixels / 75);
  const step = TIME_STEPS.find((s) => (to - from) / s <= room) || TIME_STEPS[TIME_STEPS.length - 1];
  const ticks = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9; i++)
    ticks.push({ v: i * step, label: timeText(i * step) });
  return ticks;
}

// Ticks of a logarithmic axis: 1, 2, 5, 10 …, or powers of ten only if there is no room for more.
function logTicker(from, to, pixels) {
  const decades = Math.log10(to / from);
  const digits = pixels / decades > 90 ? [1, 2, 5] : [1];
  const stride = Math.max(1, Math.ceil(decades * 22 / pixels));
  const ticks = [];
  for (let power = Math.floor(Math.log10(from)); power <= Math.log10(to); power++)
    for (const digit of power % stride === 0 ? digits : []) {
      const v = digit * 10 ** power;
      if (v >= from * 0.999 && v <= to * 1.001)
        ticks.push({ v, label: axisNumber(v) });
    }
  return ticks;
}

function axisNumber(value) { return String(Number(value.toPrecision(3))); }

// Returns the value of a series that legends show.
function shownValue(one, row) { return one.own ? one.own(row) : one.value(row); }

/*
 * spec: {title, note, wide, third, xs, series,
 *        times: true if the y axis is a time, which may be logarithmic,
 *        points: true if there are no lines between the points,
 *        ticker(from, to, pixels), xText(x), xLog: true if the x axis is logarithmic,
 *        overTime: true if the chart is zoomed together with the others; xs are then the ends of intervals, and each value is
 *        drawn from the start to the end of its interval,
 *        window: [from, to] of the x axis if it differs from all xs, underlay(context, area, graph),
 *        logarithmic: true if the y axis is always logarithmic, valueRange: [from, to] of the y axis,
 *        cellText(x, y): text of the cell at this position, nextCell(x, y, up): y of the next cell above or below,
 *        openCell(figure, x, y): shows the requests of a cell, or null if none were kept,
 *        scale: an additional element of the legend,
 *        bands: true if each series is a band: value(i) is its upper edge, and own(i) its height and the value to be shown,
 *        byRun: true if the chart has a line per run; one legend names the runs of all such charts}
 * A series: {label, color, dashed, hidden, value(i)}, `run` if the chart is by run, and from(i), the start of the interval, if
 * the chart is over time. A hidden series has no line and no
 * entry in the legend.
 */
class Chart {
  constructor(spec, group) {
    this.spec = spec;
    this.group = group;
    this.visible = spec.series.map(() => true);
    this.figure = make('figure', undefined, spec.wide ? 'wide' : spec.third ? 'third' : '');
    const caption = make('figcaption', spec.title);
    this.note = make('small', spec.note);
    caption.append(this.note);
    this.legend = make('div', undefined, 'legend');
    this.plot = make('div', undefined, 'plot');
    this.figure.append(caption, this.legend, this.plot);
    this.keys = new ChartKeys(this);
    if (spec.cellText)
      this.followPointer();
  }

  // Shows the text of the cell under the pointer next to the pointer.
  followPointer() {
    const tip = make('div', undefined, 'tip');
    this.tip = tip;
    tip.hidden = true;
    this.plot.addEventListener('mousemove', (event) => {
      const [left, top] = this.graph.eventToDomCoords(event);
      const area = this.graph.getArea(), inside = left >= area.x && left < area.x + area.w && top < area.y + area.h;
      tip.hidden = !inside;
      tip.textContent = this.spec.cellText(this.graph.toDataXCoord(left), this.graph.toDataYCoord(top));
      tip.style.left = `${Math.max(0, Math.min(left + 14, area.x + area.w - tip.offsetWidth))}px`;
      tip.style.top = `${top + (top > area.h / 2 ? -34 : 18)}px`;
    });
    this.plot.addEventListener('mouseleave', () => { tip.hidden = true; });
  }

  // Returns the indexes of the rows between two times: all rows, or in every bucket the extremes of each series, or a row in which the
  // series has no value if it has none in the whole bucket.
  rowsBetween(from, to) {
    const { xs, series } = this.spec;
    const first = Math.max(0, lowerBound(xs, from) - 1), last = Math.min(xs.length, lowerBound(xs, to) + 2);
    const rows = [];
    if (last - first <= BUCKETS * 4) {
      for (let i = first; i < last; i++)
        rows.push(i);
      return rows;
    }
    const chosen = new Set([first, last - 1]);
    for (let b = 0; b < BUCKETS; b++) {
      const start = first + Math.floor((last - first) * b / BUCKETS), end = first + Math.floor((last - first) * (b + 1) / BUCKETS);
      for (const one of series)
        this.addExtremes(chosen, one, start, end);
    }
    return [...chosen].sort((a, b) => a - b);
  }

  addExtremes(chosen, one, start, end) {
    let low = -1, high = -1, unknown = -1, least = Infinity, most = -Infinity;
    for (let i = start; i < end; i++) {
      const value = one.value(i);
      if (value === null)
        continue;
      if (Number.isNaN(value))
        unknown = i;
      if (value < least) { least = value; low = i; }
      if (value > most) { most = value; high = i; }
    }
    if (low >= 0)
      chosen.add(low).add(high);
    else if (unknown >= 0)
      chosen.add(unknown);
  }

  data(window) {
    const { xs, series } = this.spec;
    const rows = this.rowsBetween(window ? window[0] : -Infinity, window ? window[1] : Infinity);
    return rows.map((i) => [this.middle(i), ...series.map((one) => one.value(i))]);
  }

  // Returns the x of a row for dygraphs. Over time it is the middle of the interval, so that the row that is nearest to the
  // pointer is that of the interval in which the pointer is.
  middle(row) {
    const { xs, overTime } = this.spec;
    return overTime ? (Math.min(xs[row], row > 0 ? xs[row - 1] : 0) + xs[row]) / 2 : xs[row];
  }

  // Draws a series as steps: each value from the start to the end of its interval. Intervals without a value leave a gap.
  drawSteps({ drawingContext: context, dygraph: graph, points, setName, color, strokeWidth }) {
    const { xs, series } = this.spec, one = series[Number(setName.slice(1))], marker = seriesMarker(one) && pointDrawer(one, false);
    let before = -1;
    context.save();
    context.setLineDash(seriesPattern(one) || []);
    context.strokeStyle = color;
    context.lineWidth = strokeWidth;
    context.beginPath();
    for (const { xval, canvasy: y } of points.filter((point) => Number.isFinite(point.canvasy))) {
      const row = lowerBound(xs, xval), follows = before >= 0 && this.isFollowedBy(one, before, row);
      const start = graph.toDomXCoord(follows ? xs[before] : one.from(row));
      if (follows)
        context.lineTo(start, y);
      else
        context.moveTo(start, y);
      context.lineTo(graph.toDomXCoord(xs[row]), y);
      before = row;
    }
    context.stroke();
    context.restore();
    if (marker)
      points.forEach((point, i) => Number.isFinite(point.canvasy) && marker(graph, setName, context, point.canvasx, point.canvasy, color, 3.5, i));
  }

  // Draws a series of a chart of bands. A line of the background separates bands that are high enough. Bands would cover the
  // events, so these are drawn after the last band.
  drawBand({ drawingContext: context, dygraph: graph, points, setName, color, seriesIndex, seriesCount, plotArea }) {
    const { xs, series } = this.spec, one = series[Number(setName.slice(1))];
    let before = -1;
    context.fillStyle = color;
    for (const { xval, canvasy: top } of points.filter((point) => Number.isFinite(point.canvasy))) {
      const row = lowerBound(xs, xval), follows = before >= 0 && this.isFollowedBy(one, before, row);
      const left = Math.round(graph.toDomXCoord(follows ? xs[before] : one.from(row))), right = Math.round(graph.toDomXCoord(xs[row]));
      const height = graph.toDomYCoord(one.value(row) - one.own(row)) - top;
      context.fillRect(left, top, right - left, height > 3 ? height - 1 : height);
      before = row;
    }
    if (seriesIndex === seriesCount - 1)
      this.spec.underlay(context, plotArea, graph);
  }

  // Returns true if the interval of a row begins where that of an earlier row ends, or if only rows with values between the two
  // are left out of the drawing.
  isFollowedBy(one, row, later) {
    const [start, end] = [one.from(later), this.spec.xs[row]];
    if (start <= end)
      return true;
    const between = Array.from({ length: later - row - 1 }, (_, i) => one.value(row + 1 + i));
    return between.some((value) => value !== null) && !between.some(Number.isNaN);
  }

  look() {
    return {
      colors: this.spec.series.map((one) => seriesColor(one.color)),
      gridLineColor: cssColor('--grid'),
      axisLineColor: cssColor('--line'),
    };
  }

  // Returns dygraphs' options for one series.
  seriesOptions(one) {
    const { points, cellText, xs, overTime, bands } = this.spec, all = !cellText && !overTime && (points || xs.length < FEW_ROWS);
    return { ...(overTime && !one.hidden ? { plotter: (event) => bands ? this.drawBand(event) : this.drawSteps(event) } : {}),
      strokePattern: seriesPattern(one), strokeWidth: points || one.hidden ? 0 : one.dashed ? 1.5 : 1.7,
      drawPoints: !one.hidden && (all || seriesMarker(one) !== undefined), pointSize: points ? 5 : seriesMarker(one) ? 3.5 : 2.5,
      drawPointCallback: pointDrawer(one, all), highlightCircleSize: one.hidden ? 0 : 4 };
  }

  draw() {
    const { spec } = this;
    this.graph = new Dygraph(this.plot, this.data(null), {
      ...this.look(),
      labels: ['x', ...spec.series.map((_, i) => `s${i}`)],
      series: Object.fromEntries(spec.series.map((one, i) => [`s${i}`, this.seriesOptions(one)])),
      legend: 'never', connectSeparatedPoints: true, gridLineWidth: 1,
      includeZero: true, valueRange: spec.valueRange || null, logscale: this.isLog(), dateWindow: this.fullWindow(), rightGap: 12, yRangePad: 4,
      axes: {
        x: { ticker: (a, b, pixels) => spec.ticker(a, b, pixels), logscale: spec.xLog === true, axisLabelWidth: 70 },
        y: { axisLabelFormatter: axisNumber, axisLabelWidth: 58, ticker: (a, b, pixels, ...rest) =>
          this.isLog() && b / a > 8 ? logTicker(a, b, pixels) : Dygraph.numericTicks(a, b, pixels, ...rest) },
      },
      interactionModel: { ...Dygraph.defaultInteractionModel, dblclick: () => this.reset() },
      underlayCallback: (context, area, graph) => spec.underlay && !spec.bands && spec.underlay(context, area, graph),
      highlightCallback: (event, x) => this.group.showAt(this, x),
      unhighlightCallback: () => this.group.showAt(this, null),
      clickCallback: (event) => this.openCell(event),
      zoomCallback: (from, to) => spec.overTime && this.group.zoom([from, to]),
    });
    this.drawLegend();
    this.keys.attach();
    if (this.tip)
      this.plot.append(this.tip);
  }

  // Shows the requests of the cell at the pointer.
  openCell(event) {
    if (!this.spec.openCell)
      return;
    const [left, top] = this.graph.eventToDomCoords(event);
    this.spec.openCell(this.figure, this.graph.toDataXCoord(left), this.graph.toDataYCoord(top));
  }

  isLog() { return this.spec.logarithmic === true || this.spec.times === true && this.group.log; }

  fullWindow() {
    const { xs, overTime, xLog, window } = this.spec;
    if (xs.length === 0)
      return null;
    if (window)
      return window;
    if (xLog)
      return [xs[0] / 1.1, xs[xs.length - 1] * 1.1];
    const from = overTime ? Math.min(0, xs[0]) : xs[0], to = xs[xs.length - 1];
    return to > from ? [from, to] : [from - 1, to + 1];
  }

  reset() {
    if (this.spec.overTime)
      this.group.zoom(null);
    else
      this.graph.updateOptions({ dateWindow: this.fullWindow(), valueRange: this.spec.valueRange || null });
  }

  // Shows a window, limited to the full one. If the window covers everything, zooming is reset.
  showWindow([from, to]) {
    const [first, last] = this.fullWindow();
    const window = from <= first && to >= last ? null : [Math.max(first, from), Math.min(last, to)];
    if (this.spec.overTime)
      this.group.zoom(window);
    else
      this.graph.updateOptions({ dateWindow: window || this.fullWindow() });
  }

  zoom(window) {
    this.graph.updateOptions({ file: this.data(window), dateWindow: window || this.fullWindow(),
      ...(window ? {} : { valueRange: this.spec.valueRange || null }) });
  }

  applyLog() {
    if (this.spec.times)
      this.graph.updateOptions({ logscale: this.isLog() });
  }

  applyLook() {
    this.graph.updateOptions(this.look());
    this.drawLegend();
  }

  setSeries(series, note = this.spec.note) {
    this.spec.series = series;
    this.note.textContent = note;
    this.zoom(this.spec.overTime ? this.group.window : null);
    this.drawLegend();
  }

  drawLegend() {
    this.at = make('span', '', 'at');
    this.values = this.spec.series.map(() => make('b', ''));
    const items = this.spec.series.flatMap((one, i) => one.hidden ? [] : [this.legendItem(one, i)]);
    if (this.spec.scale)
      items.push(this.spec.scale);
    this.legend.replaceChildren(...items, this.at);
  }

  legendItem(one, i) {
    const item = make(this.spec.byRun ? 'span' : 'button', undefined, 'item');
    item.append(swatch(one), ...(this.spec.byRun ? [] : [make('span', one.label)]), this.values[i]);
    if (this.spec.byRun) {
      item.hidden = true;
      return item;
    }
    item.type = 'button';
    item.setAttribute('aria-pressed', String(this.visible[i]));
    item.addEventListener('click', () => {
      this.setVisible(i, !this.visible[i]);
      item.setAttribute('aria-pressed', String(this.visible[i]));
    });
    return item;
  }

  setVisible(i, visible) {
    this.visible[i] = visible;
    this.graph.setVisibility(i, visible);
  }

  // Shows the values at x in the legend; removes them if x is null.
  showAt(x) {
    const { xs, series, xText, cellText, byRun } = this.spec;
    const row = x === null ? -1 : Math.min(xs.length - 1, lowerBound(xs, x));
    this.at.textContent = row < 0 ? '' : cellText ? cellText(xs[row], null) : `at ${xText(xs[row])}`;
    series.forEach((one, i) => {
      const value = row < 0 ? null : shownValue(one, row);
      this.values[i].textContent = value === null ? '' : shortNumber(value);
      this.values[i].title = value === null ? '' : String(value);
      if (byRun && this.values[i].parentElement)
        this.values[i].parentElement.hidden = value === null || !this.visible[i];
    });
  }

  // Returns the values of a row as text for screen readers.
  textAt(row) {
    const { xs, series, xText, cellText } = this.spec;
    if (cellText)
      return this.at.textContent;
    const values = series.map((one, i) => one.hidden || !this.visible[i] ? '' : `${one.label} ${shortNumber(shownValue(one, row))}`);
    return `${xText(xs[row])}: ${values.filter(Boolean).join(', ')}`;
  }
}

// Charts that are zoomed together and show their values at the same x.
class ChartGroup {
  constructor() {
    this.charts = [];
    this.log = false;
    this.window = null;
  }

  add(spec) {
    const chart = new Chart(spec, this);
    this.charts.push(chart);
    return chart;
  }

  zoom(window) {
    this.window = window;
    document.getElementById('reset').disabled = window === null;
    for (const chart of this.charts)
      if (chart.spec.overTime)
        chart.zoom(window);
  }

  showAt(source, x) {
    for (const chart of this.charts)
      if (chart === source || chart.spec.overTime && source.spec.overTime)
        chart.showAt(x);
  }

  showRun(run, visible) {
    for (const chart of this.charts.filter((chart) => chart.spec.byRun))
      chart.spec.series.forEach((one, i) => one.run === run && chart.setVisible(i, visible));
  }

  // Redraws the charts in the current size of their figures.
  resize() {
    this.charts.forEach((chart) => chart.graph.resize());
  }

  setLog(log) {
    this.log = log;
    this.charts.forEach((chart) => chart.applyLog());
  }

  // Redraws the charts in the colours of the current theme.
  redraw() {
    this.charts.forEach((chart) => chart.applyLook());
  }
}
