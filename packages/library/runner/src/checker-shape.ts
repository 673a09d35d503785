import { API_VERSION, CLAIMS, type Checker, INPUT_KINDS, KNOWN_LEVELS, findLevel } from '@isolab/contract';
import { HISTORY_SHAPES, visibleLine } from '@isolab/history';
import { RunnerError } from './errors.ts';
import { type AnyOptionSpec, isOptionValue, whyNotValue } from './options.ts';

/**
 * Returns the value if it is a checker of this version of the contract. Otherwise throws an error that lists all
 * mistakes, so that the author of a plug-in need not find them one at a time.
 */
export function asChecker(value: unknown, where: string): Checker {
  if (!isRecord(value) || !isRecord(value['info'])) {
    throw new RunnerError(
      'not-a-checker',
      `The default export of ${where} is ${nameType(value)}, expected a checker: an object with 'info' and 'check'. ${HOW_TO_EXPORT}`,
    );
  }
  const { info } = value;
  if (info['apiVersion'] !== API_VERSION) throw wrongVersion(info['apiVersion'], where);
  const problems = [
    ...(typeof value['check'] === 'function' ? [] : [`check is ${nameType(value['check'])}, expected a function`]),
    ...(value['interpret'] === undefined || typeof value['interpret'] === 'function'
      ? []
      : [`interpret is ${nameType(value['interpret'])}, expected a function or nothing`]),
    ...namingProblems(info),
    ...levelProblems(info['levels']),
    ...kindProblems(info['accepts']),
    ...shapeProblems(info['requires']),
    ...requiresAtProblems(info['requiresAt'], info['levels']),
    ...optionProblems(info['options']),
    ...variantProblems(info['variants'], info['options']),
  ];
  if (problems.length > 0) {
    throw new RunnerError(
      'not-a-checker',
      `${visibleLine(where)} is not a valid checker:\n${problems.map(asItem).join('\n')}`,
    );
  }
  return value as unknown as Checker;
}

export const HOW_TO_EXPORT = 'A plug-in ends with: export default defineChecker({ info, check }).';

const asItem = (problem: string): string => `  - ${visibleLine(problem)}`;

function wrongVersion(found: unknown, where: string): RunnerError {
  const wanted = `this isolab supports version ${API_VERSION}`;
  if (typeof found !== 'number') {
    const message = `${where} does not state the version of the checker contract (info.apiVersion is ${nameType(found)}); ${wanted}: set apiVersion: ${API_VERSION}.`;
    return new RunnerError('wrong-api-version', message);
  }
  const advice =
    found > API_VERSION ? 'update isolab' : `update the checker, or install a release of it for version ${API_VERSION}`;
  return new RunnerError(
    'wrong-api-version',
    `${where} was written for version ${found} of the checker contract; ${wanted}: ${advice}.`,
  );
}

function namingProblems(info: Fields): string[] {
  const problems: string[] = [];
  const { name, paper } = info;
  if (typeof name !== 'string' || !KEBAB_CASE.test(name)) {
    problems.push(`info.name is ${show(name)}, expected a name in kebab-case, such as 'my-checker'`);
  }
  for (const field of ['title', 'version'] as const) {
    if (!isText(info[field])) problems.push(`info.${field} is ${show(info[field])}, expected a string`);
  }
  for (const field of ['sound', 'complete'] as const) {
    if (typeof info[field] !== 'boolean')
      problems.push(`info.${field} is ${show(info[field])}, expected true or false`);
  }
  const claim = info['takesForFacts'];
  if (claim !== undefined && !(typeof claim === 'string' && Object.hasOwn(CLAIMS, claim)))
    problems.push(`info.takesForFacts is ${show(claim)}, expected ${Object.keys(CLAIMS).join(', ')}, or nothing`);
  const cited =
    isRecord(paper) &&
    ['title', 'authors', 'venue'].every((field) => isText(paper[field])) &&
    Number.isInteger(paper['year']);
  if (paper !== null && !cited) {
    problems.push('info.paper must have title, authors, venue and year, or be null if there is no paper');
  }
  return problems;
}

function levelProblems(levels: unknown): string[] {
  if (!Array.isArray(levels) || levels.length === 0) return ['info.levels must list at least one level'];
  return levels.flatMap((level: unknown) => {
    if (KNOWN_LEVELS.some(({ name }) => name === level)) return [];
    const meant = typeof level === 'string' ? findLevel(level) : null;
    const advice = meant
      ? `write '${meant.level.name}'`
      : `known levels are ${KNOWN_LEVELS.map(({ name }) => name).join(', ')}`;
    return [`info.levels names ${show(level)}, which is not a level: ${advice}`];
  });
}

function kindProblems(accepts: unknown): string[] {
  if (accepts === undefined || (Array.isArray(accepts) && accepts.length > 0 && accepts.every(isInputKind))) return [];
  return [`info.accepts must list kinds of input (${INPUT_KINDS.join(', ')}), or be absent for histories only`];
}

const isInputKind = (kind: unknown): boolean => INPUT_KINDS.some((known) => known === kind);

function requiresAtProblems(requiresAt: unknown, levels: unknown): string[] {
  if (requiresAt === undefined) return [];
  if (!isRecord(requiresAt))
    return [`info.requiresAt is ${nameType(requiresAt)}, expected an object with levels as its keys`];
  return Object.entries(requiresAt).flatMap(([level, requires]) => {
    if (!Array.isArray(levels) || !levels.includes(level))
      return [`info.requiresAt names ${show(level)}, which is not one of info.levels`];
    return shapeProblems(requires).map((problem) => `at ${level}: ${problem}`);
  });
}

function shapeProblems(requires: unknown): string[] {
  if (!Array.isArray(requires))
    return [`info.requires is ${nameType(requires)}, expected a list of shapes (an empty one for none)`];
  const problems = requires.flat().flatMap((shape: unknown) => {
    if (typeof shape === 'string' && Object.hasOwn(HISTORY_SHAPES, shape)) return [];
    return [`info.requires names ${show(shape)}; known shapes are ${Object.keys(HISTORY_SHAPES).join(', ')}`];
  });
  if (requires.some((shape) => Array.isArray(shape) && shape.length === 0)) {
    problems.push('info.requires contains an empty list of alternatives, which no history can meet');
  }
  return problems;
}

function optionProblems(options: unknown): string[] {
  if (!isRecord(options)) return [`info.options is ${nameType(options)}, expected an object, {} if there are none`];
  return Object.entries(options).flatMap(([name, spec]) => {
    if (!OPTION_NAME.test(name)) return [`the option ${show(name)} must be named in camelCase or kebab-case`];
    if (!isRecord(spec) || !isOptionValue(spec['default'])) {
      return [`the option ${name} must have a default that is a string, a number or a boolean`];
    }
    if (!isText(spec['help'])) return [`the option ${name} must have a help text`];
    const { choices } = spec;
    if (choices === undefined) return [];
    if (!Array.isArray(choices) || !choices.every((choice) => typeof choice === typeof spec['default'])) {
      return [`the choices of option ${name} must have the type of its default`];
    }
    if (choices.includes(spec['default'])) return [];
    return [`the default of option ${name}, ${show(spec['default'])}, is not among its choices ${choices.join(', ')}`];
  });
}

function variantProblems(variants: unknown, options: unknown): string[] {
  if (!isRecord(variants)) return [`info.variants is ${nameType(variants)}, expected an object, {} if there are none`];
  const specs = isRecord(options) ? options : {};
  return Object.entries(variants).flatMap(([name, variant]) => {
    if (!KEBAB_CASE.test(name)) return [`the variant ${show(name)} must be named in kebab-case`];
    if (!isRecord(variant) || !isText(variant['help']) || !isRecord(variant['options'])) {
      return [`the variant ${name} must have a help text and options`];
    }
    return Object.entries(variant['options']).flatMap(([option, value]) => {
      if (!Object.hasOwn(specs, option)) {
        const known = Object.keys(specs).join(', ') || 'none';
        return [`the variant ${name} sets ${option}, which is not an option (options: ${known})`];
      }
      const spec = specs[option];
      if (!isRecord(spec) || !isOptionValue(spec['default'])) return []; // already reported
      const wrong = whyNotValue(spec as unknown as AnyOptionSpec, value);
      return wrong === null ? [] : [`the variant ${name} sets ${option} to ${show(value)}, expected ${wrong}`];
    });
  });
}

type Fields = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** Names the type of an unexpected value for a message. */
function nameType(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function show(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : isOptionValue(value) ? String(value) : nameType(value);
}

const KEBAB_CASE = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const OPTION_NAME = /^[a-z][A-Za-z0-9]*(-[a-z0-9]+)*$/;
