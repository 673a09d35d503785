// Writes a drawing as a small SVG file: styles are classes, a marker is defined once and reused, and the file is
// readable on light and dark backgrounds, even if a page embeds it as an image.

import { escapeXml } from '@isolab/story/markup';
import type { Drawing, Item, Path, Segment, Words } from './drawing.ts';
import { CONFIG, inTheDark } from './look.ts';

export interface SvgOptions {
  /** Draws a background that follows the reader's colour scheme; without it, the figure is for white paper. */
  readonly ground?: boolean;
}

export function svgOf({ title, width, height, items }: Drawing, { ground = true }: SvgOptions = {}): string {
  const looks = new Looks();
  const markers = new Markers(items);
  const body = merged(items).map((item) =>
    item.kind === 'text' ? wordsSvg(item, looks) : pathSvg(item, looks, markers),
  );
  const [light, dark] = GROUND;
  const size = `width="${number(width)}" height="${number(height)}"`;
  const style = [
    `text{font-family:${CONFIG.font}}`,
    looks.light,
    ...(ground ? [`.ground{fill:${light}}@media(prefers-color-scheme:dark){.ground{fill:${dark}}${looks.dark}}`] : []),
  ].join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${number(width)} ${number(height)}"><title>${escapeXml(title)}</title><style>${style}</style>${markers.definitions}${ground ? '<rect class="ground" width="100%" height="100%" rx="6"/>' : ''}
${body.join('\n')}
</svg>
`;
}

const GROUND = ['#ffffff', '#0d1117'] as const;

/** Classes for all combinations of colours, lines and sizes, each once. */
class Looks {
  readonly #names = new Map<string, string>();
  readonly #dark = new Map<string, string>();

  nameOf(light: Readonly<Record<string, string>>): string {
    const text = declarations(light);
    let name = this.#names.get(text);
    if (name === undefined) {
      name = nameAt(this.#names.size);
      this.#names.set(text, name);
      const colours = Object.entries(light).flatMap(([property, value]) => {
        const other = inTheDark(property, value);
        return other === value ? [] : [[property, other] as const];
      });
      if (colours.length > 0) this.#dark.set(name, declarations(Object.fromEntries(colours)));
    }
    return name;
  }

  get light(): string {
    return [...this.#names].map(([text, name]) => `.${name}{${text}}`).join('');
  }

  get dark(): string {
    return [...this.#dark].map(([name, text]) => `.${name}{${text}}`).join('');
  }
}

const declarations = (properties: Readonly<Record<string, string>>): string =>
  Object.entries(properties)
    .map(([name, value]) => `${name}:${value}`)
    .join(';');

const nameAt = (n: number): string => `${String.fromCodePoint(97 + (n % 26))}${n < 26 ? '' : Math.floor(n / 26)}`;

/** Shapes that are drawn at several places. */
class Markers {
  readonly #names = new Map<string, string>();

  constructor(items: readonly Item[]) {
    const counts = new Map<string, number>();
    for (const item of items) {
      if (item.kind !== 'path' || item.fill === null || item.segments.length > 24) continue;
      const shape = shapeOf(item.segments);
      counts.set(shape, (counts.get(shape) ?? 0) + 1);
    }
    for (const [shape, count] of counts) if (count > 2) this.#names.set(shape, `m${this.#names.size}`);
  }

  nameOf({ segments, fill }: Path): string | undefined {
    return fill === null ? undefined : this.#names.get(shapeOf(segments));
  }

  get definitions(): string {
    if (this.#names.size === 0) return '';
    return `<defs>${[...this.#names].map(([shape, name]) => `<path id="${name}" d="${shape}"/>`).join('')}</defs>`;
  }
}

function pathSvg(path: Path, looks: Looks, markers: Markers): string {
  const { fill, stroke, width, dash, alpha } = path;
  const look = looks.nameOf({
    fill: fill ?? 'none',
    ...(stroke !== null && { stroke, 'stroke-width': number(width) }),
    ...(stroke !== null && dash.length > 0 && { 'stroke-dasharray': dash.map(number).join(' ') }),
    ...(alpha < 1 && { opacity: String(Number(alpha.toFixed(2))) }),
  });
  const marker = markers.nameOf(path);
  if (marker === undefined) return `<path class="${look}" d="${placed(path.segments)}"/>`;
  const [, x = 0, y = 0] = path.segments[0]!;
  return `<use class="${look}" href="#${marker}" x="${number(x)}" y="${number(y)}"/>`;
}

function wordsSvg({ text, x, y, angle, align, size, isBold, fill, alpha }: Words, looks: Looks): string {
  const look = looks.nameOf({
    fill,
    'font-size': `${number(size)}px`,
    ...(isBold && { 'font-weight': 'bold' }),
    ...(align !== 'left' && { 'text-anchor': align === 'center' ? 'middle' : 'end' }),
    ...(alpha < 1 && { opacity: String(alpha) }),
  });
  const turn = Math.abs(angle) < 0.1 ? '' : ` transform="rotate(${number(angle)} ${number(x)} ${number(y)})"`;
  return `<text class="${look}" x="${number(x)}" y="${number(y)}"${turn}>${escapeXml(text)}</text>`;
}

/** Merges consecutive lines of one style, such as the lines of a grid, into one path. */
function merged(items: readonly Item[]): Item[] {
  const result: Item[] = [];
  for (const item of items) {
    const last = result.at(-1);
    if (item.kind === 'path' && last?.kind === 'path' && isSameLine(item, last))
      result[result.length - 1] = { ...last, segments: [...last.segments, ...item.segments] };
    else result.push(item);
  }
  return result;
}

const isSameLine = (one: Path, other: Path): boolean =>
  one.fill === null &&
  other.fill === null &&
  one.stroke === other.stroke &&
  one.width === other.width &&
  one.alpha === other.alpha &&
  one.dash.join() === other.dash.join();

/** Writes a shape relative to its start, so that equal shapes have equal text. */
const shapeOf = (segments: readonly Segment[]): string => {
  const [, x = 0, y = 0] = segments[0] ?? [];
  return segments
    .map(([letter, ...numbers]) => letter + joined(numbers.map((value, i) => value - (i % 2 === 0 ? x : y))))
    .join('');
};

const placed = (segments: readonly Segment[]): string =>
  segments.map(([letter, ...numbers]) => letter + joined(numbers)).join('');

const joined = (numbers: readonly number[]): string => numbers.map(number).join(' ').replaceAll(' -', '-');

/** A tenth of a pixel is precise enough. */
const number = (value: number): string => String(Number(value.toFixed(1)) || 0);
