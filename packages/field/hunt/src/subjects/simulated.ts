/**
 * The simulated database, `simulated:serializable?write-skew=0.001`. It fails with the probability in its address, and
 * answers equal requests equally on every machine. It serves to compare drawings.
 */
import { CollectorError, type Counts, type Isolation } from '@isolab/collector';
import { HISTORY_FORMATS, writeTo } from '@isolab/formats';
import {
  FAULTS,
  FAULT_NAMES,
  type FaultName,
  SIMULATED_LEVELS,
  type SimulatedLevel,
  findWorkload,
  resolveParameters,
  simulate,
} from '@isolab/workloads';
import { type Region, spaceOf } from '../draws/space.ts';
import type { HuntSettings } from '../trials/options.ts';
import type { Asked, Subject } from './subject.ts';

export const isSimulated = (address: string): boolean => address.startsWith('simulated:');

export class SimulatedDatabase implements Subject {
  readonly description: string;
  readonly isolations: readonly Isolation[];
  readonly space: readonly Region[];
  readonly #simulated: SimulatedLevel;
  readonly #faults: Partial<Record<FaultName, number>>;

  constructor({ database, workload }: HuntSettings) {
    const [, name = '', query = ''] = /^simulated:([^?]*)\??(.*)$/.exec(database[0]!)!;
    if (!Object.hasOwn(SIMULATED_LEVELS, name))
      throw new CollectorError(
        `There is no simulated database at ${name || 'no level'}; expected one of ${Object.keys(SIMULATED_LEVELS).join(', ')}.`,
      );
    this.#simulated = name as SimulatedLevel;
    this.#faults = Object.fromEntries([...new URLSearchParams(query)].map(([fault, rate]) => faultOf(fault, rate)));
    this.description = `simulated database${query === '' ? '' : `, ${query.replaceAll('&', ', ')}`}`;
    this.isolations = [{ name, claims: this.#simulated }];
    const rules = [SIMULATED_LEVELS[this.#simulated], ...Object.keys(this.#faults).map(rulesOf)];
    const hasReplicas = rules.some((each) => each?.kind === 'replicas'); // replicas cannot merge lists
    this.space = spaceOf(
      hasReplicas ? ['registers'] : ['registers', 'counters', 'lists', 'rows'],
      workload ?? undefined,
    );
  }

  async collect({ draw, seed, path }: Asked, onProgress: (counts: Counts) => void): Promise<Counts> {
    const workload = findWorkload(draw.workload)!;
    const { history, committed, aborted, unknown } = simulate(workload, resolveParameters(workload, draw.set), {
      level: this.#simulated,
      sessions: draw.sessions,
      transactions: Math.ceil(draw.transactions / draw.sessions),
      seed,
      faults: this.#faults,
    });
    const writer = await HISTORY_FORMATS.find((format) => format.name === 'isolab')!.writer!();
    await writeTo(path, (output) => writer.write(history, output), { isDurable: false });
    // The simulated clock counts attempts: draws must not depend on the speed of this machine.
    const counts = { loaded: 0, committed, aborted, unknown, wanted: committed, seconds: (committed + aborted) / 1000 };
    onProgress(counts);
    return counts;
  }

  async reopen(): Promise<void> {}
  async close(): Promise<void> {}
}

const rulesOf = (fault: string) => {
  const found = FAULTS[fault as FaultName];
  return 'rules' in found ? found.rules : null;
};

function faultOf(fault: string, rate: string): [FaultName, number] {
  if (!(FAULT_NAMES as readonly string[]).includes(fault))
    throw new CollectorError(`There is no fault ${fault}; expected one of ${FAULT_NAMES.join(', ')}.`);
  const probability = Number(rate);
  if (rate.trim() === '' || !(probability >= 0 && probability <= 1))
    throw new CollectorError(`The probability of ${fault} is ${rate}, expected a number from 0 to 1.`);
  return [fault as FaultName, probability];
}
