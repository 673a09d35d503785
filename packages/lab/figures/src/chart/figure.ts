// Draws figures as SVG, by Vega without a browser, and contains the script that shows the value under the pointer in a
// page.

import type { Experiment, Measurement } from '../results/results.ts';
import { escapeXml } from '@isolab/story/markup';
import { type FigureOptions, specOf } from './spec.ts';
import { withView } from './vega.ts';

/** Returns the figure as SVG; empty for tables and if there is nothing to draw. Vega is loaded at the first call. */
export async function figureSvg(
  experiment: Experiment,
  rows: readonly Measurement[],
  options: FigureOptions = {},
): Promise<string> {
  const own = rows.filter((row) => row.experiment === experiment.id);
  const spec = specOf(experiment, own, options);
  if (spec === null) return '';
  return withView(spec, async (view) => {
    const svg = await view.toSVG();
    const title = escapeXml(`${experiment.id}: ${experiment.title}`);
    // The elements of the drawing can be pointed at; Vega would label it as an image without a name.
    return svg.replace(/^<svg /, `<svg role="group" aria-label="${title}" `);
  });
}

/** A figure as part of a page that includes CHART_STYLE and CHART_SCRIPT. */
export const chartBlock = ({ id, title }: Experiment, svg: string): string =>
  svg === ''
    ? ''
    : `<figure class="chart" role="group" aria-label="${escapeXml(`Figure: ${title}. Its values are in the table below.`)}" data-chart="${escapeXml(id)}"><div class="scroll" tabindex="0" role="region" aria-label="${escapeXml(title)}">${svg}</div></figure>`;

/** Runs in the reader's browser: a tooltip with the value, and buttons for the series. */
export const CHART_SCRIPT = String.raw`(() => {
'use strict';
for (const chart of document.querySelectorAll('.chart')) {
  const marks = [...chart.querySelectorAll('svg path[aria-label*=" · "]')];
  const tip = document.createElement('div');
  tip.className = 'tip';
  tip.hidden = true;
  tip.setAttribute('role', 'status');
  chart.append(tip);
  const points = marks.filter((mark) => mark.getAttribute('aria-label').includes(': '));
  const show = (mark) => {
    const box = mark.getBoundingClientRect();
    const frame = chart.getBoundingClientRect();
    tip.textContent = mark.getAttribute('aria-label');
    tip.hidden = false;
    const left = box.left - frame.left + box.width / 2 + 10;
    tip.style.left = Math.max(0, Math.min(left, frame.width - tip.offsetWidth)) + 'px';
    tip.style.top = Math.max(0, box.top - frame.top - tip.offsetHeight - 6) + 'px';
  };
  const hide = () => { tip.hidden = true; };
  for (const mark of points) {
    mark.addEventListener('mouseenter', () => show(mark));
    mark.addEventListener('mouseleave', hide);
    mark.addEventListener('focus', () => show(mark));
    mark.addEventListener('blur', hide);
    mark.addEventListener('click', () => show(mark));
    mark.setAttribute('tabindex', '-1');
  }
  // One stop for Tab; arrows go from value to value.
  if (points.length > 0) points[0].setAttribute('tabindex', '0');
  chart.addEventListener('keydown', (event) => {
    const at = points.indexOf(document.activeElement);
    if (event.key === 'Escape') hide();
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (at < 0 || step === 0) return;
    event.preventDefault();
    let next = at;
    do next = (next + step + points.length) % points.length;
    while (points[next].style.display === 'none' && next !== at);
    points[at].setAttribute('tabindex', '-1');
    points[next].setAttribute('tabindex', '0');
    points[next].focus();
  });
  const names = [...new Set(points.map((mark) => mark.getAttribute('aria-label').split(' · ')[0]))];
  const sources = [...new Set(points.map((mark) => mark.getAttribute('aria-label').split(' · ')[1]))];
  if (names.length + sources.length < 3) continue;
  const off = new Set();
  const update = () => {
    for (const mark of marks) {
      const [name, source] = mark.getAttribute('aria-label').split(' · ');
      mark.style.display = off.has(name) || off.has(source) ? 'none' : '';
    }
  };
  // Where a figure is too wide for the page, its legend is out of sight.
  const signOf = (name) => {
    const mark = points.find((one) => one.getAttribute('aria-label').split(' · ')[0] === name);
    if (mark === undefined) return [];
    const sign = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    sign.setAttribute('aria-hidden', 'true');
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    for (const attribute of ['d', 'stroke', 'stroke-width', 'fill'])
      if (mark.hasAttribute(attribute)) path.setAttribute(attribute, mark.getAttribute(attribute));
    sign.append(path);
    chart.append(sign); // to be measured
    const { x, y, width, height } = path.getBBox();
    const side = Math.max(width, height, 1) + 3;
    sign.setAttribute('viewBox', [x + width / 2 - side / 2, y + height / 2 - side / 2, side, side].join(' '));
    return [sign];
  };
  const chips = document.createElement('div');
  chips.className = 'chips toolbar';
  chips.setAttribute('role', 'group');
  chips.setAttribute('aria-label', 'What is shown');
  for (const name of [...names, ...(sources.length > 1 ? sources : [])]) {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...signOf(name), name);
    button.setAttribute('aria-pressed', 'true');
    button.addEventListener('click', () => {
      if (off.has(name)) off.delete(name); else off.add(name);
      button.setAttribute('aria-pressed', String(!off.has(name)));
      update();
    });
    chips.append(button);
  }
  chart.prepend(chips);
}
})();`;
