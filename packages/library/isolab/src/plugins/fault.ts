import { LEVELS } from '@isolab/contract';
import { type FaultyMethods, type InjectedFault, SIMULATED_LEVELS } from '@isolab/workloads';
import { call } from './call.ts';
import { PluginError, shown } from './errors.ts';
import { type Fields, insistOnShape, isRecord, kebab, method, oneOf, text } from './shape.ts';

export const isFault = (value: Fields): boolean => 'inject' in value && 'breaks' in value;

/** Validates the fault of the simulated database that a plug-in exports. */
export function asFault(value: unknown, where: string): InjectedFault {
  insistOnShape(value, where, 'fault', SHAPE);
  const fault = value as InjectedFault;
  return {
    ...fault,
    inject(given) {
      const methods: unknown = call(
        where,
        () => 'inject(…)',
        () => fault.inject(given),
      );
      if (!isRecord(methods))
        throw new PluginError(`${where}: inject returned ${shown(methods)}, expected ${EXPECTED}`);
      const other = Object.keys(methods).find((name) => !METHODS.includes(name) || typeof methods[name] !== 'function');
      if (other !== undefined)
        throw new PluginError(`${where}: inject returned ${other} as ${shown(methods[other])}, expected ${EXPECTED}`);
      return Object.fromEntries(
        Object.entries(methods).map(([name, run]) => [name, checkedMethod(name, run as Method, where)]),
      ) as Partial<FaultyMethods>;
    },
  };
}

type Method = (...given: readonly unknown[]) => unknown;

function checkedMethod(name: string, run: Method, where: string): Method {
  return (...given) => {
    const answer = call(
      where,
      () => `${name}(…)`,
      () => run(...given),
    );
    const problem = ANSWERS[name]!(answer);
    if (problem === null) return answer;
    throw new PluginError(`${where}: ${name} returned ${shown(answer)}, expected ${problem}`);
  };
}

const ANSWERS: Readonly<Record<string, (answer: unknown) => string | null>> = {
  begin: (answer) => (isRecord(answer) ? null : 'the result of engine.begin'),
  read: (answer) =>
    Number.isInteger(answer) ? null : 'a result of engine.read, current or earlier, or 0 for no value',
  commit: (answer) => (typeof answer === 'boolean' ? null : 'true if it committed, otherwise false'),
  wrote: () => null,
  abort: () => null,
  tick: () => null,
};
const METHODS = Object.keys(ANSWERS);
const EXPECTED = `an object with some of the methods ${METHODS.join(', ')}`;

const SHAPE = {
  name: kebab,
  title: text,
  breaks: (value: unknown) =>
    Array.isArray(value) && value.length > 0 && value.every((level) => LEVELS.some(({ name }) => name === level))
      ? null
      : 'a list of levels from isolab list levels',
  at: oneOf(...Object.keys(SIMULATED_LEVELS)),
  inject: method,
};
