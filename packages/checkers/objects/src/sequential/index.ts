import { type RunContext, Stop } from '@isolab/contract';
import { type OperationHistory, type OperationVerdict, type SequentialModel, WholeMachine } from '@isolab/operations';
import { programsOf } from './programs.ts';
import { Interleaving } from './search.ts';

/**
 * Checks sequential consistency (Lamport 1979): the model allows some order of all operations that keeps the order of
 * each process. It cannot be decided part by part, unlike linearizability.
 */
export function checkSequential(
  history: OperationHistory,
  model: SequentialModel,
  context: RunContext,
): OperationVerdict {
  context.stage('construct');
  const machine = new WholeMachine(model, history);
  const search = new Interleaving(programsOf(history, machine), machine, context.tick);
  context.stage('search');
  try {
    const order = search.run();
    context.count('configurations', search.configurations);
    if (order === null) return { status: 'violated', certificate: null, longest: search.longest, stuck: -1 };
    return { status: 'satisfied', certificate: { kind: 'operation-order', order } };
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    const { length } = search.longest;
    throw new Stop(
      error.reason,
      `${error.message}; an order of ${length} operation${length === 1 ? '' : 's'} was found`,
    );
  }
}
