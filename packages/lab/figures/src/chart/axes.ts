import { GRID } from './look.ts';

/** A part of a Vega-Lite specification. */
export type Spec = Readonly<Record<string, unknown>>;

/** Range from the power of ten below the least value to the power above the largest. */
export function decades(values: readonly number[]): [number, number] {
  const positive = values.filter((value) => value > 0);
  if (positive.length === 0) return [0.1, 10];
  const low = Math.floor(Math.log10(Math.min(...positive)) + 1e-9);
  const high = Math.ceil(Math.log10(Math.max(...positive)) - 1e-9);
  return [10 ** low, 10 ** Math.max(high, low + 1)];
}

/** Axis with labels at the powers of ten, and fainter lines at 2, 3 … 9 times each power. */
export function logAxis(values: readonly number[]): Spec {
  const [low, high] = decades(values).map((value) => Math.round(Math.log10(value))) as [number, number];
  const ticks: number[] = [];
  for (let power = low; power <= high; power++) {
    for (let digit = 1; digit <= (power === high ? 1 : 9); digit++) ticks.push(Number(`${digit}e${power}`));
  }
  const isPower = 'abs(log(datum.value) / LN10 - round(log(datum.value) / LN10)) < 1e-6';
  const label =
    "datum.value >= 1e7 || datum.value < 1e-3 ? replace(format(datum.value, '.0e'), '+', '') : format(datum.value, ',~g')";
  return {
    values: ticks,
    labelExpr: `${isPower} ? ${label} : ''`,
    labelOverlap: false,
    gridOpacity: { condition: { test: isPower, value: 1 }, value: 0.45 },
    gridColor: GRID,
    tickSize: { condition: { test: isPower, value: 6 }, value: 3 },
  };
}

/**
 * Axis with the names of all categories. Names are slanted if they do not fit side by side, and no longer than needed
 * to distinguish them.
 */
export function categoryAxis(xs: readonly string[], width: number): Spec {
  const names = shortNames(xs);
  const longest = Math.max(0, ...names.map((name) => name.length)) * 7.2 + 6;
  const slanted = longest * xs.length > width;
  const isShorter = names.some((name, i) => name !== xs[i]);
  return {
    labelAngle: slanted ? -35 : 0,
    labelLimit: slanted ? 340 : 400,
    labelOverlap: false,
    ...(isShorter && {
      labelExpr: `${JSON.stringify(Object.fromEntries(xs.map((x, i) => [x, names[i]])))}[datum.value]`,
    }),
  };
}

/**
 * Shortens names such as folder/name@scale/file to the parts that differ: without a common ending, and with as little
 * of the beginning as possible.
 */
export function shortNames(names: readonly string[]): string[] {
  if (names.length < 2) return [...names];
  // A slash before a space belongs to a name such as "Cobra w/ GPU".
  let paths = names.map((name) => name.split(/\/(?! )/));
  const ends = (): Set<string> => new Set(paths.map((path) => path.at(-1)!));
  while (ends().size === 1 && paths.every((path) => path.length > 1)) paths = paths.map((path) => path.slice(0, -1));
  const deepest = Math.max(0, ...paths.map((path) => path.length));
  const distinct = new Set(names).size;
  for (let depth = 1; depth < deepest; depth++) {
    const short = paths.map((path) => path.slice(-depth).join('/'));
    if (new Set(short).size === distinct) return withoutScale(short);
  }
  return withoutScale(paths.map((path) => path.join('/')));
}

/** Removes the scale from names, if it is the same in all or distinguishes none of them. */
function withoutScale(names: string[]): string[] {
  const bare = names.map((name) => name.replace(/@(?:ci|laptop|paper)$/, ''));
  return new Set(bare).size === new Set(names).size ? bare : names;
}
