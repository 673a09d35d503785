/** Picture of the levels: stronger ones above, a line from each to the levels that it implies, and their verdicts. */

import { type LevelName, LEVELS } from 'isolab/check';
import { placeInLattice } from 'isolab/stories';
import type { LevelVerdict } from './verdicts.ts';
import { make } from './elements.ts';
import { MARKS, colourOf } from './words.ts';

/** Draws the lattice into a box; a chosen level is pressed and passed to `onChoose`. */
export function drawLattice(
  box: HTMLElement,
  verdicts: readonly LevelVerdict[],
  onChoose: (verdict: LevelVerdict) => void,
): void {
  const buttons = new Map<LevelName, HTMLButtonElement>();
  // From the top, in the order of reading and of the Tab key.
  for (const verdict of verdicts.toSorted((a, b) => placeInLattice(a.level).row - placeInLattice(b.level).row)) {
    const button = levelButton(verdict);
    button.addEventListener('click', () => onChoose(verdict));
    buttons.set(verdict.level, button);
  }
  const lines = document.createElementNS(SVG, 'svg');
  lines.setAttribute('aria-hidden', 'true');
  box.replaceChildren(lines, ...buttons.values());
  new ResizeObserver(() => drawLines(lines, buttons)).observe(box);
}

/** Marks the level whose story is shown. */
export function pressLevel(box: HTMLElement, level: LevelName): void {
  for (const button of box.querySelectorAll('button'))
    button.setAttribute('aria-pressed', String(button.dataset['level'] === level));
}

function levelButton({ level, status }: LevelVerdict): HTMLButtonElement {
  const mark = make('span', MARKS[status]);
  mark.setAttribute('aria-hidden', 'true');
  const button = make('button', [mark, document.createTextNode(level)]);
  button.type = 'button';
  button.className = colourOf(status);
  button.dataset['level'] = level;
  button.title = LEVELS.find(({ name }) => name === level)!.summary;
  button.setAttribute('aria-label', `${level}: ${status}`);
  button.setAttribute('aria-pressed', 'false');
  const { row, column } = placeInLattice(level);
  button.style.gridArea = `${row} / ${column}`;
  return button;
}

function drawLines(svg: SVGElement, buttons: ReadonlyMap<LevelName, HTMLButtonElement>): void {
  const lines: SVGElement[] = [];
  for (const [strong, above] of buttons) {
    for (const weak of LEVELS.find(({ name }) => name === strong)!.implies) {
      const below = buttons.get(weak);
      if (!below) continue;
      const line = document.createElementNS(SVG, 'line');
      line.setAttribute('x1', String(above.offsetLeft + above.offsetWidth / 2));
      line.setAttribute('y1', String(above.offsetTop + above.offsetHeight));
      line.setAttribute('x2', String(below.offsetLeft + below.offsetWidth / 2));
      line.setAttribute('y2', String(below.offsetTop));
      lines.push(line);
    }
  }
  svg.replaceChildren(...lines);
}

const SVG = 'http://www.w3.org/2000/svg';
