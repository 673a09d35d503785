import { KNOWN_LEVELS, LEVELS, type LevelName, implies, levelNamed } from '@isolab/contract';
import { listWithArcs } from './lattice.ts';

/** A user-defined level in the picture. */
export interface PlacedLevel {
  readonly name: LevelName;
  readonly place: {
    /** Levels that no history distinguished from it. */
    readonly same: readonly LevelName[];
    /** The levels that directly imply it, and the levels that it directly implies. */
    readonly stronger: readonly LevelName[];
    readonly weaker: readonly LevelName[];
    /** All implied levels. */
    readonly implied: readonly LevelName[];
  };
}

/**
 * Diagram of the common levels, or of a user-defined level and its neighbours, by their titles, as a file of its own.
 * Strong levels are at the top, with an arc to each directly implied level, in the colours of the reader's theme.
 */
export function latticeSvg(own?: PlacedLevel): string {
  const names = namesWith(own);
  const title = (name: LevelName): string => (name === own?.name ? name : levelNamed(name).title);
  const arcs = names.flatMap((from) =>
    weakerOf(from, names, own).map((to) => ({ from, to, about: `${title(from)} implies ${title(to)}` })),
  );
  const listed = names.map((name) => ({ name, text: title(name), kind: name === own?.name ? 'own' : 'known' }));
  const given =
    ' xmlns="http://www.w3.org/2000/svg" aria-label="Implications between levels: stronger levels are above weaker levels"';
  return `${listWithArcs(listed, arcs, given, `<style>${STYLE}</style>`)}\n`;
}

/**
 * Lists strong levels first. A user-defined level is listed with its neighbours alone, directly above the levels that
 * it implies.
 */
function namesWith(own: PlacedLevel | undefined): LevelName[] {
  if (own === undefined) return LEVELS.map(({ name }) => name).toReversed();
  const { same, stronger, weaker } = own.place;
  const near = new Set([...same, ...stronger, ...weaker]);
  const all: readonly LevelName[] = KNOWN_LEVELS.map(({ name }) => name);
  const names = all.filter((name) => name !== own.name && near.has(name));
  const below = Math.max(-1, ...[...weaker, ...same].map((name) => names.indexOf(name)));
  return names.toSpliced(below + 1, 0, own.name).toReversed();
}

/** Levels of the picture directly below a level of the picture. */
function weakerOf(name: LevelName, names: readonly LevelName[], own: PlacedLevel | undefined): readonly LevelName[] {
  const isAbove = (strong: LevelName, weak: LevelName): boolean => {
    if (strong === weak) return false;
    if (strong === own?.name) return [...own.place.same, ...own.place.implied].includes(weak);
    if (weak === own?.name) return own.place.stronger.some((one) => one === strong || implies(strong, one));
    return implies(strong, weak);
  };
  const below = names.filter((weak) => isAbove(name, weak));
  return below.filter((weak) => !below.some((between) => isAbove(between, weak)));
}

const STYLE = [
  'svg{max-width:100%;height:auto}',
  'text{font:13px system-ui,sans-serif;dominant-baseline:central;fill:#1f2328}',
  '.own text{font-weight:600;fill:#9a6700}',
  'circle{fill:#1f2328}',
  'path{fill:none;stroke:#0969da;stroke-opacity:.55}',
  'path:hover{stroke-opacity:1;stroke-width:2.5}',
  '@media(prefers-color-scheme:dark){text,circle{fill:#e6edf3}.own text{fill:#d29922}path{stroke:#58a6ff}}',
].join('');
