import { addedDistribution } from './distributions.ts';
import type { Parameter, Setting, Settings, Workload } from './workload.ts';

/** Error for an unknown parameter or an invalid value. */
export class ParameterError extends Error {
  override readonly name = 'ParameterError';
}

/** Returns the workload's parameters, with the given texts in place of the defaults. */
export function resolveParameters(
  workload: Pick<Workload, 'name' | 'parameters'>,
  given: Readonly<Record<string, string>>,
): Settings {
  const resolved: Record<string, Setting> = {};
  for (const [name, { default: value }] of Object.entries(workload.parameters)) resolved[name] = value;
  for (const [name, word] of Object.entries(given)) {
    const parameter = Object.hasOwn(workload.parameters, name) ? workload.parameters[name] : undefined;
    if (!parameter) {
      const known = Object.keys(workload.parameters).join(', ');
      throw new ParameterError(`The workload ${workload.name} has no parameter ${name}; its parameters are ${known}.`);
    }
    resolved[name] = valueOf(name, word, parameter);
  }
  return resolved;
}

function valueOf(name: string, word: string, parameter: Parameter): Setting {
  const { default: initial, choices, range, fractional, isDistribution } = parameter;
  const refuse = (expected: string): never => {
    throw new ParameterError(`${name} is ${word}, expected ${expected}.`);
  };
  if (isDistribution && addedDistribution(word)) return word;
  if (choices && !choices.includes(word)) return refuse(`one of ${choices.join(', ')}`);
  if (typeof initial === 'string') return word;
  if (typeof initial === 'boolean')
    return word === 'true' || word === 'false' ? word === 'true' : refuse('true or false');
  const number = Number(word);
  const [low, high] = range ?? [-Infinity, Infinity];
  const fits = word.trim() !== '' && Number.isFinite(number) && number >= low && number <= high;
  if (!fits) return refuse(`a number from ${low} to ${high}`);
  return fractional || Number.isInteger(number) ? number : refuse('a whole number');
}
