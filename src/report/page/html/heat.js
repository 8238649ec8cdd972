// SPDX-License-Identifier: GPL-2.0-or-later
// The heat map: response times of each interval in buckets, darker where there are more.
'use strict';

const HEAT_SUB_BITS = 2;      // of the buckets of "response_histogram": docs/json.md
const HEAT_SHADES = 32;
const HEAT_MOST_RUNS = 4;     // that have a map each, one beside the other

// Where a bucket begins, in nanoseconds: every power of two is split into four.
function heatLower(bucket) {
  const shift = Math.max(0, (bucket >> HEAT_SUB_BITS) - 1);
  return (bucket - (shift << HEAT_SUB_BITS)) * 2 ** shift;
}

// The lower border of a bucket on the axis, in ms; nothing is at 0 on a logarithmic one.
function heatMs(bucket) { return Math.max(0.5, heatLower(bucket)) / 1e6; }

// "52 3 0 1", …: {ends: of the intervals, low, high: buckets in use, [low, high), first[i]: bucket, at[i] … at[i + 1]: places in counts}
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

// The intervals from `from` to `to` (without), added up; counts by bucket from heat.low on.
function heatColumn(heat, from, to) {
  const sums = new Float64Array(heat.high - heat.low);
  for (let i = from; i < to; i++)
    for (let k = heat.at[i]; k < heat.at[i + 1]; k++)
      sums[heat.first[i] - heat.low + k - heat.at[i]] += heat.counts[k];
  return sums;
}

// What is drawn of a window: at most one column for each two pixels; several intervals share one where there are more.
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

// From few to many, by way of a colour between.
function heatShades() {
  const stops = ['--heat-low', '--heat-middle', '--heat-high'].map((name) => hexParts(cssColor(name)));
  return Array.from({ length: HEAT_SHADES }, (_, i) => {
    const place = 2 * i / (HEAT_SHADES - 1), stop = Math.min(1, Math.floor(place)), part = place - stop;
    return `rgb(${stops[stop].map((low, k) => Math.round(low + part * (stops[stop + 1][k] - low))).join(', ')})`;
  });
}

// Counts of one and of thousands are both seen: shades go by the logarithm.
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

// "12 s to 13 s, 1.05 to 1.31 ms: 42 requests"; without a bucket, all of the interval.
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

// Of an interval: from a time to that of the next bucket with requests, up (1) or down (−1); from null to the lowest. Where there is none, the same.
function heatNext(heat, i, ms, up) {
  const counts = heatColumn(heat, i, i + 1);
  let at = ms === null ? 0 : heatBucketAt(heat, ms) - heat.low + up;
  while (at >= 0 && at < counts.length && counts[at] === 0)
    at += ms === null ? 1 : up;
  return counts[at] > 0 ? heatMs(heat.low + at) * 1.01 : ms;
}

// The legend: from what shade to what shade.
function heatScale(most) {
  const scale = make('span', undefined, 'scale');
  scale.append(make('span', '1'), make('i'), make('span', `${most} requests`));
  return scale;
}

function heatSpec(heat, title, range) {
  const bottom = heatMs(range.low), scale = make('span');
  return {
    title, scale, note: 'ms; shaded by the number of requests', wide: true, xs: heat.ends, overTime: true, ticker: timeTicker, xText: timeText,
    series: [{ label: 'requests', color: 0, hidden: true, value: () => bottom }], logarithmic: true, valueRange: [bottom, heatMs(range.high)],
    cellText: (x, ms) => heatText(heat, Math.min(heat.ends.length - 1, lowerBound(heat.ends, x)), ms === null ? null : heatBucketAt(heat, ms)),
    nextCell: (x, ms, up) => heatNext(heat, Math.min(heat.ends.length - 1, lowerBound(heat.ends, x)), ms, up),
    underlay: (context, area, graph) => {
      scale.replaceChildren(heatScale(paintHeat(heat, context, area, graph)));
      drawEvents(context, area, graph);
    },
  };
}

// One for each run, if there are few, on one scale of times.
function addHeat() {
  const maps = runs.map((run, i) => ({ heat: heatOf(run), label: labels[i] })).filter((one) => one.heat);
  const shown = maps.length > HEAT_MOST_RUNS ? [] : maps;
  const range = { low: Math.min(...shown.map((one) => one.heat.low)), high: Math.max(...shown.map((one) => one.heat.high)) };
  shown.forEach(({ heat, label }, i) => {
    const chart = group.add({ ...heatSpec(heat, single ? 'Response times, request by request' : `Response times of ${label}`, range),
      wide: shown.length === 1, third: shown.length === 3 });
    chart.figure.id = `heat-${i}`;
  });
}
