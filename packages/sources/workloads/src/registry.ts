import { addedDistribution } from './distributions.ts';
import { blindWrites, cobra, general } from './general.ts';
import { listAppend, rwRegister } from './jepsen.ts';
import { contention, miniTransactions } from './mini-transactions.ts';
import { ranges } from './ranges.ts';
import { reports } from './reports.ts';
import { rubis } from './rubis.ts';
import { tpcc } from './tpcc.ts';
import { twitter } from './twitter.ts';
import { schedules } from './schedules.ts';
import { bankAudit } from './tables/bank-audit.ts';
import { batch } from './tables/batch.ts';
import { booking } from './tables/booking.ts';
import { doctors } from './tables/doctors.ts';
import { intersecting } from './tables/intersecting.ts';
import { rows } from './tables/rows.ts';
import type { Parameter, Setting, Settings, Workload } from './workload.ts';

/** Registry of all workloads. To add one, write its file and name it here. */
export const WORKLOADS: readonly Workload[] = [
  general,
  cobra,
  blindWrites,
  ranges,
  reports,
  listAppend,
  rwRegister,
  miniTransactions,
  contention,
  schedules,
  tpcc,
  rubis,
  twitter,
  rows,
  doctors,
  booking,
  bankAudit,
  intersecting,
  batch,
] as unknown as readonly Workload[];

export const findWorkload = (name: string): Workload | null =>
  WORKLOADS.find((workload) => workload.name === name) ?? null;

/** A parameter that there is not, or a value that it does not take. */
export class ParameterError extends Error {
  override readonly name = 'ParameterError';
}

/** The workload's parameters, with the given ones (as words) in place of the defaults. */
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
