import { type RunContext, Stop } from '@isolab/contract';
import { type OperationHistory, type OperationVerdict, type SequentialModel, WholeMachine } from '@isolab/operations';
import { programsOf } from './programs.ts';
import { Interleaving } from './search.ts';

/**
 * Sequential consistency (Lamport 1979): some order of all operations, which keeps that of each process, is one that the
 * model allows. It cannot be judged part by part, as linearizability can.
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
    throw new Stop(error.reason, `${error.message}; an order of ${search.longest.length} operations was found`);
  }
}
