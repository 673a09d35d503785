/** Resolves a word to a built-in object, or to the file or package of a plug-in. */
import { didYouMean } from '@isolab/contract';
import { type HistoryFormat, findFormat } from '@isolab/formats';
import {
  FAULTS,
  FAULT_NAMES,
  type FaultName,
  type Faults,
  type InjectedFault,
  type Injection,
  ParameterError,
  WORKLOADS,
  type Workload,
  addDistribution,
  addedDistribution,
  findWorkload,
} from '@isolab/workloads';
import { asDistribution } from './distribution.ts';
import { PluginError } from './errors.ts';
import { asFault } from './fault.ts';
import { asFormat } from './format.ts';
import { isPath, loadDefault, urlOf } from './load.ts';
import { asWorkload } from './workload.ts';

/** Finds a workload by name, or loads it from a plug-in. */
export async function workloadNamed(word: string | Workload, from?: URL): Promise<Workload> {
  if (typeof word !== 'string') return asWorkload(word, 'the option workload');
  const known = [...WORKLOADS.map(({ name }) => name), 'lightweight'];
  const none = (): Error =>
    new ParameterError(`There is no workload ${word}; ${didYouMean(word, known)}isolab list workloads lists them.`);
  return findWorkload(word) ?? asWorkload(await loaded(word, 'workload', none, from), word);
}

/** Loads the history format of a plug-in; returns null for the name of a built-in format or an unknown word. */
export async function formatPlugin(word: string | HistoryFormat, from?: URL): Promise<HistoryFormat | null> {
  if (typeof word !== 'string') return asFormat(word, 'the option of a format');
  if (findFormat(word) !== null) return null;
  const value = await loaded(word, 'format', () => null, from);
  return value === null ? null : asFormat(value, word);
}

/** Returns built-in faults and faults of plug-ins, with their rates. */
export async function faultsNamed(
  rates: Readonly<Record<string, number>>,
  from?: URL,
): Promise<{ readonly faults: Faults; readonly injections: readonly Injection[] }> {
  const faults: Partial<Record<FaultName, number>> = {};
  const injections: Injection[] = [];
  for (const [word, rate] of Object.entries(rates)) {
    if (Object.hasOwn(FAULTS, word)) faults[word as FaultName] = rate;
    else injections.push({ fault: await faultPlugin(word, from), rate });
  }
  return { faults, injections };
}

async function faultPlugin(word: string, from?: URL): Promise<InjectedFault> {
  const none = (): Error =>
    new ParameterError(`There is no fault ${word}; ${didYouMean(word, FAULT_NAMES)}isolab list workloads lists them.`);
  return asFault(await loaded(word, 'fault', none, from), word);
}

/** Loads the distributions that these parameters name by file. */
export async function loadDistributions(
  { parameters }: Pick<Workload, 'parameters'>,
  words: Readonly<Record<string, string>>,
  from?: URL,
): Promise<void> {
  for (const [name, word] of Object.entries(words)) {
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (!parameter?.isDistribution || parameter.choices?.includes(word) || addedDistribution(word)) continue;
    const value = await loaded(word, 'distribution', () => null, from);
    if (value !== null) addDistribution(word, asDistribution(value, word)); // otherwise the parameter is refused
  }
}

/** Loads the default export of a file or package; `none` is the error for an unknown package. */
async function loaded(word: string, what: string, none: () => Error | null, from?: URL): Promise<unknown> {
  if (!isPath(word)) {
    try {
      urlOf(word, what, from);
    } catch (error) {
      const missing = none();
      if (missing === null && error instanceof PluginError) return null;
      throw missing ?? error;
    }
  }
  return loadDefault(word, what, from);
}
