// SPDX-License-Identifier: GPL-2.0-or-later
// The look of series: they differ by colour, and from the ninth on by pattern and marker as well.
'use strict';

const COLORS = 8;             // --c0 … --c7 in page.css, which people with red-green colour blindness can distinguish
const PATTERNS = [null, [8, 4], [2, 3], [10, 3, 2, 3]];
const MARKERS = ['circle', 'square', 'triangle', 'diamond'];
const MARKERS_PER_LINE = 12;
const DASHED = [5, 4];

function cssColor(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function hexParts(color) { return [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16)); }

// Returns the colour of series i: one of the eight colours, then mixtures of them with more and more grey or text colour.
function seriesColor(i) {
  const color = cssColor(`--c${i % COLORS}`), round = Math.floor(i / COLORS);
  if (round === 0)
    return color;
  const other = hexParts(cssColor(round % 2 ? '--muted' : '--text')), part = 1 - 1 / (1 + 0.4 * round);
  return `rgb(${hexParts(color).map((own, k) => Math.round(own + part * (other[k] - own))).join(', ')})`;
}

function seriesPattern(one) { return one.dashed ? DASHED : PATTERNS[Math.floor(one.color / COLORS) % PATTERNS.length]; }

// Returns the marker of a series; undefined for the first eight series, which have no markers. When the patterns repeat, the
// markers are shifted, so that the combinations differ.
function seriesMarker(one) {
  const round = Math.floor(one.color / COLORS) - 1;
  return round < 0 ? undefined : MARKERS[(round + Math.floor(round / PATTERNS.length)) % MARKERS.length];
}

// Returns the corners of a marker around 0, 0. Circles have no corners.
function markerCorners(marker, size) {
  return { square: [[-1, -1], [1, -1], [1, 1], [-1, 1]], triangle: [[0, -1.2], [1.1, 0.9], [-1.1, 0.9]],
    diamond: [[0, -1.4], [1.4, 0], [0, 1.4], [-1.4, 0]] }[marker].map((corner) => corner.map((at) => at * size));
}

function drawMarker(context, marker, x, y, size, color) {
  context.fillStyle = color;
  context.beginPath();
  if (marker === 'circle')
    context.arc(x, y, size, 0, 2 * Math.PI);
  else
    markerCorners(marker, size).forEach(([dx, dy]) => context.lineTo(x + dx, y + dy));
  context.fill();
}

// Returns the function that draws points for dygraphs: a few markers along a line, or all points of a series without a line.
function pointDrawer(one, all) {
  const marker = seriesMarker(one) || 'circle';
  return (graph, name, context, x, y, color, size, row) => {
    const step = all ? 1 : Math.max(1, Math.floor(graph.numRows() / MARKERS_PER_LINE));
    if (row === undefined || row % step === 0)
      drawMarker(context, marker, x, y, size, color);
  };
}

function svg(kind, attributes) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', kind);
  for (const [name, value] of Object.entries(attributes))
    element.setAttribute(name, value);
  return element;
}

// Returns a short piece of the line, for legends.
function swatch(one) {
  const color = seriesColor(one.color), marker = seriesMarker(one), pattern = seriesPattern(one);
  const picture = svg('svg', { width: 28, height: 10, viewBox: '0 0 28 10', 'aria-hidden': 'true' });
  picture.append(svg('line', { x1: 0, y1: 5, x2: 28, y2: 5, stroke: color, 'stroke-width': 3, 'stroke-dasharray': pattern ? pattern.join(' ') : 'none' }));
  if (marker === 'circle')
    picture.append(svg('circle', { cx: 14, cy: 5, r: 4, fill: color }));
  else if (marker)
    picture.append(svg('polygon', { points: markerCorners(marker, 3.5).map(([x, y]) => `${14 + x},${5 + y}`).join(' '), fill: color }));
  return picture;
}

// Creates an element with text. The text, which may come from users, is never interpreted as HTML.
function make(kind, text, className) {
  const element = document.createElement(kind);
  if (text !== undefined)
    element.textContent = text;
  if (className)
    element.className = className;
  return element;
}
