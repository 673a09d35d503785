import { type OperationHistory, type Value, type WholeMachine, previousInProcess } from '@isolab/operations';

/** Programs of processes, in order; operations are numbers of the history. */
export interface Programs {
  readonly programs: readonly (readonly number[])[];
  /** Operations without a return: each may take effect once `after` operations of its process have, or never. */
  readonly pending: readonly { readonly operation: number; readonly program: number; readonly after: number }[];
  /** Program of each operation, or −1 for a pending operation, which has a bit in `bitOf`. */
  readonly programOf: Int32Array;
  readonly bitOf: Int32Array;
  readonly calls: Float64Array;
  readonly numMandatory: number;
}

export function programsOf(history: OperationHistory, machine: WholeMachine): Programs {
  const { operations } = history;
  const previous = previousInProcess(history);
  const programs: number[][] = [];
  const pending: { operation: number; program: number; after: number }[] = [];
  const numberOf = new Map<Value, number>();
  const programOf = new Int32Array(operations.length).fill(-1);
  const bitOf = new Int32Array(operations.length).fill(-1);
  const placeOf = new Int32Array(operations.length);
  for (const [i, { process, return: returned }] of operations.entries()) {
    if (returned === null) {
      if (machine.isRead(i)) continue; // the operation returns nothing and changes nothing
      const before = previous[i];
      bitOf[i] = pending.length;
      pending.push({
        operation: i,
        program: before < 0 ? -1 : programOf[before],
        after: before < 0 ? 0 : placeOf[before] + 1,
      });
      continue;
    }
    let number = numberOf.get(process);
    if (number === undefined) numberOf.set(process, (number = programs.push([]) - 1));
    programOf[i] = number;
    placeOf[i] = programs[number].push(i) - 1;
  }
  const calls = Float64Array.from(operations, ({ call }) => call);
  return { programs, pending, programOf, bitOf, calls, numMandatory: operations.length - countPending(history) };
}

const countPending = ({ operations }: OperationHistory): number =>
  operations.filter(({ return: returned }) => returned === null).length;
