import type { Axiom, BaseRelation, Expression, LevelDefinition, LevelFile, Named, Position } from './ast.ts';
import { LevelError } from './error.ts';
import type { LevelName } from './names.ts';
import { didYouMean } from './nearest.ts';
import { operandsOf } from './operands.ts';
import { printAxiom } from './print.ts';
import { levelSelectedBy } from './relations.ts';

/** The levels to which a file may refer. */
export interface Library {
  /** All names, including aliases of levels. */
  readonly names: readonly string[];
  readonly find: (name: string) => LevelFile | null;
}

/**
 * Maximum number of relations and operators in all axioms of a level together, once names are replaced by their
 * definitions.
 */
const LARGEST_LEVEL = 10_000;

/** Resolves every name in a level's file: definitions, and the axioms of the levels that it includes. */
export function resolveLevel(file: LevelFile, library: Library): LevelDefinition {
  return resolve(file, library, []);
}

function resolve(file: LevelFile, library: Library, path: readonly string[]): LevelDefinition {
  const above = [...path, file.name];
  const find = (named: Named): LevelFile => {
    const found = library.find(named.name);
    if (found === null) throw unknownLevel(named, library);
    if (above.includes(found.name))
      throw new LevelError(named.position, `Found a circle: ${[...above, found.name].join(' includes ')}.`);
    return found;
  };
  const included = file.includes.map((named) => ({ named, level: resolve(find(named), library, above) }));
  for (const { named, level } of included) insistOnAllowed(file, named, level);

  const own = ownAxioms(file);
  for (const { expression } of own) insistOnLevels(expression, library);
  const axioms = withoutRepetition([...included.flatMap(({ level }) => level.axioms), ...own]);
  insistOnSize(axioms, file);
  const implied = file.implies.map((named) => {
    const found = library.find(named.name);
    if (found === null) throw unknownLevel(named, library);
    return nameOf(found);
  });
  const { title, summary, aliases, allows } = file;
  const implies = [...new Set([...implied, ...included.map(({ level }) => level.name)])];
  const byKey = file.eachKeySatisfies && resolve(find(file.eachKeySatisfies), library, above);
  const eachKeySatisfies = onlyOne([byKey, ...included.map(({ level }) => level.eachKeySatisfies)], file);
  return {
    name: nameOf(file),
    title,
    summary,
    aliases,
    implies,
    eachKeySatisfies,
    allows,
    axioms,
    order: orderOf(axioms),
  };
}

/** A level's file names a level of isolab, or a user's level. */
const nameOf = ({ name }: LevelFile): LevelName => name as LevelName;

const unknownLevel = ({ name, position }: Named, { names }: Library): LevelError => {
  const hint = didYouMean(name, names);
  const then = hint === '' ? 'isolab list levels lists them.' : `${hint[0]!.toUpperCase()}${hint.slice(1).trimEnd()}`;
  return new LevelError(position, `Found ${name}, expected the name of a level. ${then}`);
};

/** Checks that the levels by which an expression selects transactions exist, under their own names. */
function insistOnLevels(expression: Expression, library: Library): void {
  if (expression.kind === 'base') {
    const selected = levelSelectedBy(expression.name);
    if (selected === null) return;
    const named = { name: selected.level, position: expression.position };
    const found = library.find(selected.level);
    if (found === null) throw unknownLevel(named, library);
    if (found.name !== selected.level)
      throw new LevelError(named.position, `Found ${named.name}, expected the name ${found.name} of this level.`);
  }
  for (const operand of operandsOf(expression)) insistOnLevels(operand, library);
}

/** Checks allowed reads, because a level that includes another level forbids all anomalies of that level. */
function insistOnAllowed(file: LevelFile, { position }: Named, included: LevelDefinition): void {
  const refused = file.allows.find((allowed) => !included.allows.includes(allowed));
  if (refused !== undefined)
    throw new LevelError(
      position,
      `Found allows ${refused} together with ${included.name}, which does not allow them.`,
    );
}

function onlyOne(levels: readonly (LevelDefinition | null)[], file: LevelFile): LevelDefinition | null {
  const byName = new Map(levels.flatMap((level) => (level === null ? [] : [[level.name, level] as const])));
  if (byName.size > 1)
    throw new LevelError(
      file.includes[0]!.position,
      `Found ${byName.size} levels that each key must satisfy (${[...byName.keys()].join(' and ')}), expected one.`,
    );
  return [...byName.values()][0] ?? null;
}

function ownAxioms(file: LevelFile): Axiom[] {
  const definitions = new Map<string, { readonly expression: Expression; readonly size: number }>();
  const inline = (expression: Expression, at: Position): { readonly expression: Expression; readonly size: number } => {
    const whole = { expression: withDefinitions(expression, definitions), size: sizeOf(expression, definitions) };
    if (whole.size > LARGEST_LEVEL)
      throw new LevelError(at, `Found an expression with ${whole.size} parts, expected at most ${LARGEST_LEVEL}.`);
    return whole;
  };
  for (const { name, expression, position } of file.definitions) definitions.set(name, inline(expression, position));
  return file.axioms.map((axiom) => ({ ...axiom, expression: inline(axiom.expression, axiom.position).expression }));
}

type Definitions = ReadonlyMap<string, { readonly expression: Expression; readonly size: number }>;

/** Replaces names by their definitions, which it shares instead of copying so that they take no extra memory. */
function withDefinitions(expression: Expression, definitions: Definitions): Expression {
  if (expression.kind === 'name') return definitions.get(expression.name)!.expression;
  if ('of' in expression) return { ...expression, of: withDefinitions(expression.of, definitions) };
  if (!('left' in expression)) return expression;
  const [left, right] = [expression.left, expression.right].map((side) => withDefinitions(side, definitions));
  return { ...expression, left: left!, right: right! };
}

const sizeOf = (expression: Expression, definitions: Definitions): number =>
  expression.kind === 'name'
    ? definitions.get(expression.name)!.size
    : operandsOf(expression).reduce((sum, operand) => sum + sizeOf(operand, definitions), 1);

const NOTHING: Definitions = new Map();

function insistOnSize(axioms: readonly Axiom[], { name, axioms: own, includes }: LevelFile): void {
  const size = axioms.reduce((sum, { expression }) => sum + sizeOf(expression, NOTHING), 0);
  if (size > LARGEST_LEVEL)
    throw new LevelError(
      (own[0] ?? includes[0])!.position,
      `Found ${size} parts in the axioms of ${name}, expected at most ${LARGEST_LEVEL}.`,
    );
}

function withoutRepetition(axioms: readonly Axiom[]): Axiom[] {
  const byText = new Map<string, Axiom>();
  for (const axiom of axioms) {
    const text = printAxiom(axiom);
    if (!byText.has(text)) byText.set(text, axiom);
  }
  return [...byText.values()];
}

function orderOf(axioms: readonly Axiom[]): LevelDefinition['order'] {
  const speaksOf = (relation: 'before' | 'co'): boolean =>
    axioms.some(
      (axiom) => (axiom.kind === 'contains' && axiom.order === relation) || relationsIn(axiom.expression).has(relation),
    );
  if (speaksOf('before')) return 'events';
  return speaksOf('co') ? 'commits' : 'versions';
}

/** Returns the base relations in an expression without names. */
export function relationsIn(expression: Expression, found = new Set<BaseRelation>()): ReadonlySet<BaseRelation> {
  if (expression.kind === 'base') found.add(expression.name);
  for (const operand of operandsOf(expression)) relationsIn(operand, found);
  return found;
}

/** Returns whether a level compares the latest time of one event with the earliest time of another event. */
export const comparesTimes = ({ axioms, eachKeySatisfies }: LevelDefinition): boolean =>
  axioms.some(({ expression }) => ['rt', 'time'].some((name) => relationsIn(expression).has(name as BaseRelation))) ||
  (eachKeySatisfies !== null && comparesTimes(eachKeySatisfies));
