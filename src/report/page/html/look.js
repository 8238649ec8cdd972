// SPDX-License-Identifier: GPL-2.0-or-later
// How series are told apart: by colour, and from the ninth on also by pattern and marker.
'use strict';

const COLORS = 8;             // --c0 … --c7, which eyes that do not tell red from green do tell apart
const PATTERNS = [null, [8, 4], [2, 3], [10, 3, 2, 3]];
const MARKERS = ['circle', 'square', 'triangle', 'diamond'];
const MARKERS_PER_LINE = 12;
const DASHED = [5, 4];

function cssColor(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function hexParts(color) { return [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16)); }

// The colours, then shades of them that are ever nearer to grey, or to that of the text.
function seriesColor(i) {
  const color = cssColor(`--c${i % COLORS}`), round = Math.floor(i / COLORS);
  if (round === 0)
    return color;
  const other = hexParts(cssColor(round % 2 ? '--muted' : '--text')), part = 1 - 1 / (1 + 0.4 * round);
  return `rgb(${hexParts(color).map((own, k) => Math.round(own + part * (other[k] - own))).join(', ')})`;
}

function seriesPattern(one) { return one.dashed ? DASHED : PATTERNS[Math.floor(one.color / COLORS) % PATTERNS.length]; }

// undefined: none.
// Those of a pattern that comes back are others.
function seriesMarker(one) {
  const round = Math.floor(one.color / COLORS) - 1;
  return round < 0 ? undefined : MARKERS[(round + Math.floor(round / PATTERNS.length)) % MARKERS.length];
}

// The corners of a marker of that size around 0, 0; a circle has none.
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

// For dygraphs: a few markers along a line, all points of those that have no line.
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

// A piece of the line, for legends.
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

// An element with text; what users wrote never becomes markup.
function make(kind, text, className) {
  const element = document.createElement(kind);
  if (text !== undefined)
    element.textContent = text;
  if (className)
    element.className = className;
  return element;
}
