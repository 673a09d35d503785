import { join } from 'node:path';
import { PUBLIC, writeFileTo } from 'isolab/formats';
import {
  builtInLevel,
  compareLevels,
  EXHAUSTIVE,
  type LatticePlace,
  latticeSvg,
  type LevelDefinition,
  placeOf,
  RANDOM,
} from 'isolab/levels';
import { ExitCode } from '../terminal/exit.ts';
import { type Printer, count, toJson } from '../terminal/print.ts';
import { insistOnTarget } from '../terminal/targets.ts';
import { levelOrFile } from './asked.ts';
import { type Difference, type LevelsFlags, difference, draw, makeFolder, oneWay, textOf } from './compare.ts';

/**
 * `isolab levels place LEVEL`: prints the levels above and below it, and smallest histories that distinguish it from
 * them.
 */
export async function placeOne(word: string, { out, output }: LevelsFlags, printer: Printer): Promise<number> {
  const { level } = levelOrFile(word);
  const lattice = out === undefined ? null : join(out, 'levels.svg');
  if (out !== undefined) makeFolder(out);
  if (lattice !== null) insistOnTarget(lattice, { inputs: [] });
  const place = placeOf(level);
  const borders = await bordersOf(level, place);
  const files = out === undefined ? [] : await draw(borders, out);
  if (lattice !== null) {
    await writeFileTo(lattice, latticeSvg({ name: level.name, place }), { mode: PUBLIC });
    files.push(lattice);
  }
  if (output === 'json') {
    const { searched, ...found } = place;
    const told = borders.map(({ strong, weak, history }) => ({
      satisfied: strong.name,
      violated: weak.name,
      history: textOf(history),
    }));
    const bounds = { exhaustive: EXHAUSTIVE, atRandom: RANDOM };
    printer.out(toJson({ level: level.name, ...found, borders: told, searched: { ...searched, ...bounds }, files }));
    return ExitCode.Satisfied;
  }
  printer.out([inWords(level.name, place), ...borders.map((each) => oneWay(each, printer))].join('\n\n'));
  for (const file of files) printer.note(`Drawn: ${file}`);
  return ExitCode.Satisfied;
}

/**
 * Differences from the neighbours: anomalies that the next stronger levels forbid and the level allows, and anomalies
 * that it forbids and the next weaker levels allow.
 */
async function bordersOf(level: LevelDefinition, { stronger, weaker }: LatticePlace): Promise<Difference[]> {
  const borders: Difference[] = [];
  for (const name of stronger) {
    const strong = builtInLevel(name)!;
    borders.push(await difference(level, strong, compareLevels(level, strong).onlyFirst));
  }
  for (const name of weaker) {
    const weak = builtInLevel(name)!;
    borders.push(await difference(weak, level, compareLevels(weak, level).onlyFirst));
  }
  return borders;
}

function inWords(name: string, { same, stronger, weaker, apart, searched }: LatticePlace): string {
  const between = [
    ...(weaker.length > 0 ? [`above ${weaker.join(', ')}`] : []),
    ...(stronger.length > 0 ? [`below ${stronger.join(', ')}`] : []),
  ].join(' and ');
  const stands =
    same.length > 0
      ? `${name} is equal to ${same.join(', ')}${between === '' ? '' : `, ${between}`}.`
      : `${name} is ${between === '' ? 'apart from all levels' : between}.`;
  const looked = `${searched.listed} known histories that distinguish levels, ${searched.all} small ones and ${searched.random} random ones`;
  const neither = apart.length === 0 ? '' : ` It neither implies nor is implied by ${count(apart.length, 'level')}.`;
  return `${stands}${neither} This rests on ${looked}; it is not a proof.`;
}
