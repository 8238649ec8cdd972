// SPDX-License-Identifier: GPL-2.0-or-later
// The heat map: response times of each interval in buckets; buckets with more requests are darker.
'use strict';

const HEAT_SUB_BITS = 2;      // binary digits that split a power of two in "response_histogram": docs/json.md
const HEAT_SHADES = 32;
const HEAT_MOST_RUNS = 4;     // maximum number of runs for which maps are shown, one for each

// Returns the lower bound of a bucket in nanoseconds: every power of two is split into four buckets.
function heatLower(bucket) {
  const shift = Math.max(0, (bucket >> HEAT_SUB_BITS) - 1);
  return (bucket - (shift << HEAT_SUB_BITS)) * 2 ** shift;
}

// Returns the lower bound of a bucket on the axis in ms. It is above 0, because a logarithmic axis has no 0.
function heatMs(bucket) { return Math.max(0.5, heatLower(bucket)) / 1e6; }

// Decodes the column "heat", such as "52 3 0 1" for an interval. Returns {ends: of the intervals, low, high: buckets in use
// from low to high - 1, first[i]: first bucket of interval i, counts: of all intervals, at[i] … at[i + 1]: indexes in counts
// of interval i}.
function heatOf(run) {
  const texts = column(run, 'heat');
  if (!texts || !texts.some((text) => text !== ''))
    return null;
  const first = new Uint16Array(texts.length), at = new Uint32Array(texts.length + 1), counts = [];
  let low = Infinity, high = 0;
  texts.forEach((text, i) => {
    if (text !== '') {
      const numbers = text.split(' ');
      first[i] = Number(numbers[0]);
      for (let k = 1; k < numbers.length; k++)
        counts.push(Number(numbers[k]));
      low = Math.min(low, first[i]);
      high = Math.max(high, first[i] + numbers.length - 1);
    }
    at[i + 1] = counts.length;
  });
  return { ends: intervalEnds(run), low, high, first, at, counts: Float64Array.from(counts) };
}

function heatStart(heat, i) { return i > 0 ? heat.ends[i - 1] : 0; }

// Returns the sums of the intervals from `from` to `to` - 1, a count for each bucket from heat.low on.
function heatColumn(heat, from, to) {
  const sums = new Float64Array(heat.high - heat.low);
  for (let i = from; i < to; i++)
    for (let k = heat.at[i]; k < heat.at[i + 1]; k++)
      sums[heat.first[i] - heat.low + k - heat.at[i]] += heat.counts[k];
  return sums;
}

// Returns the columns to draw for a window: at most one for every two pixels. If there are more intervals, several of them
// share a column.
function heatColumns(heat, from, to, pixels) {
  const first = lowerBound(heat.ends, from), last = Math.min(heat.ends.length, lowerBound(heat.ends, to) + 1);
  const stride = Math.max(1, Math.ceil((last - first) / (pixels / 2)));
  const columns = [];
  for (let i = Math.floor(first / stride) * stride; i < last; i += stride) {
    const end = Math.min(i + stride, heat.ends.length);
    columns.push({ from: heatStart(heat, i), to: heat.ends[end - 1], counts: heatColumn(heat, i, end) });
  }
  return columns;
}

// Returns the shades for few to many requests, interpolated between three colours.
function heatShades() {
  const stops = ['--heat-low', '--heat-middle', '--heat-high'].map((name) => hexParts(cssColor(name)));
  return Array.from({ length: HEAT_SHADES }, (_, i) => {
    const place = 2 * i / (HEAT_SHADES - 1), stop = Math.min(1, Math.floor(place)), part = place - stop;
    return `rgb(${stops[stop].map((low, k) => Math.round(low + part * (stops[stop + 1][k] - low))).join(', ')})`;
  });
}

// Shades are proportional to the logarithm of the count, so that counts of one and of thousands can both be seen.
function heatShade(count, most) {
  return most > 1 ? Math.round((HEAT_SHADES - 1) * Math.log(count) / Math.log(most)) : HEAT_SHADES - 1;
}

function paintHeat(heat, context, area, graph) {
  const [from, to] = graph.xAxisRange();
  const columns = heatColumns(heat, from, to, area.w), shades = heatShades();
  const most = columns.reduce((most, one) => one.counts.reduce((a, b) => Math.max(a, b), most), 1);
  const rows = Array.from({ length: heat.high - heat.low + 1 }, (_, k) => Math.round(graph.toDomYCoord(heatMs(heat.low + k))));
  context.save();
  context.beginPath();
  context.rect(area.x, area.y, area.w, area.h);
  context.clip();
  for (const { from: start, to: end, counts } of columns) {
    const left = Math.round(graph.toDomXCoord(start)), right = Math.max(left + 1, Math.round(graph.toDomXCoord(end)));
    counts.forEach((count, k) => {
      if (count === 0)
        return;
      context.fillStyle = shades[heatShade(count, most)];
      context.fillRect(left, rows[k + 1], right - left, Math.max(1, rows[k] - rows[k + 1]));
    });
  }
  context.restore();
  return most;
}

function heatTime(ns) { return `${Number((ns / 1e6).toPrecision(3))}`; }

// Returns the text of a cell, such as "12 s to 13 s, 1.05 to 1.31 ms: 42 requests". If bucket is null, the text is about the
// whole interval.
function heatText(heat, i, bucket) {
  const counts = heatColumn(heat, i, i + 1);
  const span = `${timeText(heatStart(heat, i))} to ${timeText(heat.ends[i])}`;
  const count = bucket === null ? counts.reduce((a, b) => a + b, 0) : counts[bucket - heat.low] || 0;
  const where = bucket === null ? '' : `, ${heatTime(heatLower(bucket))} to ${heatTime(heatLower(bucket + 1))} ms`;
  return `${span}${where}: ${count} request${count === 1 ? '' : 's'}`;
}

function heatBucketAt(heat, ms) {
  let bucket = heat.low;
  while (bucket < heat.high - 1 && heatMs(bucket + 1) <= ms)
    bucket++;
  return bucket;
}

// Returns the time of the next bucket with requests in interval i, above `ms` (up is 1) or below (up is −1); the lowest
// bucket with requests if ms is null. If there is no such bucket, returns ms.
function heatNext(heat, i, ms, up) {
  const counts = heatColumn(heat, i, i + 1);
  let at = ms === null ? 0 : heatBucketAt(heat, ms) - heat.low + up;
  while (at >= 0 && at < counts.length && counts[at] === 0)
    at += ms === null ? 1 : up;
  return counts[at] > 0 ? heatMs(heat.low + at) * 1.01 : ms;
}

// The legend: the lightest and the darkest shade with their counts.
function heatScale(most) {
  const scale = make('span', undefined, 'scale');
  scale.append(make('span', '1'), make('i'), make('span', `${most} requests`));
  return scale;
}

function heatSpec(heat, title, range, run) {
  const bottom = heatMs(range.low), scale = make('span');
  return {
    title, scale, note: `ms; shaded by the number of requests${keptOf(run).length > 0 ? '; click on a circle for its request' : ''}`, wide: true, xs: heat.ends, overTime: true, ticker: timeTicker, xText: timeText,
    series: [{ label: 'requests', color: 0, hidden: true, value: () => bottom }], logarithmic: true, valueRange: [bottom, heatMs(range.high)],
    cellText: (x, ms) => heatText(heat, Math.min(heat.ends.length - 1, lowerBound(heat.ends, x)), ms === null ? null : heatBucketAt(heat, ms)),
    openCell: keptOf(run).length === 0 ? null : (figure, x, ms) => {
      if (ms !== null)
        showCell(figure, run, heat, Math.min(heat.ends.length - 1, lowerBound(heat.ends, x)), heatBucketAt(heat, ms));
    },
    nextCell: (x, ms, up) => heatNext(heat, Math.min(heat.ends.length - 1, lowerBound(heat.ends, x)), ms, up),
    underlay: (context, area, graph) => {
      scale.replaceChildren(heatScale(paintHeat(heat, context, area, graph)));
      paintKept(run, context, area, graph);
      drawEvents(context, area, graph);
    },
  };
}

// Adds a map for each run, if there are few runs, with the same scale of times.
function addHeat() {
  const maps = runs.map((run, i) => ({ run, heat: heatOf(run), label: labels[i] })).filter((one) => one.heat);
  const shown = maps.length > HEAT_MOST_RUNS ? [] : maps;
  const range = { low: Math.min(...shown.map((one) => one.heat.low)), high: Math.max(...shown.map((one) => one.heat.high)) };
  shown.forEach(({ run, heat, label }, i) => {
    const chart = group.add({ ...heatSpec(heat, single ? 'Response times, request by request' : `Response times of ${label}`, range, run),
      wide: shown.length === 1, third: shown.length === 3 });
    chart.figure.id = `heat-${i}`;
  });
}
