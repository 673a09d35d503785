import { isFailedStart, started } from '@isolab/history';
import { Worker } from 'node:worker_threads';
import { ModelError, type OperationHistory, type SequentialModel, type Value, keyed } from '@isolab/operations';
import { type JudgeOptions, type OperationResult, judgeOperations } from './judge.ts';
import { builtInModel, isModelFile, loadModelFile } from './models.ts';

export interface OperationCheckOptions extends JudgeOptions {
  /** Initial state of a register, or of each register of a map. */
  readonly initial?: Value;
  /** Whether a read of nil matches any value, as in knossos. */
  readonly nilIsUnknown?: boolean;
  /** Whether arguments and results are pairs of a key and a value of the model, as jepsen.independent makes them. */
  readonly independent?: boolean;
  readonly memoryBytes?: number;
}

/** Input of a worker, and its answer. */
export interface ModelTask {
  readonly history: OperationHistory;
  readonly model: string;
  readonly options: OperationCheckOptions;
}

export type ModelAnswer =
  | { readonly kind: 'result'; readonly result: OperationResult }
  | { readonly kind: 'error'; readonly name: string; readonly message: string };

/**
 * Decides whether operations on an object are linearizable or sequentially consistent. The model is a built-in name, a
 * file that exports a model, or an object. A file is loaded and run in a separate thread, so that limits can end it.
 */
export async function checkOperations(
  history: OperationHistory,
  model: string | SequentialModel,
  options: OperationCheckOptions,
): Promise<OperationResult> {
  if (typeof model === 'string' && isModelFile(model)) return inWorker({ history, model, options });
  return judgeOperations(history, modelFor(model, options), options);
}

export async function answerOf({ history, model, options }: ModelTask): Promise<ModelAnswer> {
  try {
    const loaded = modelFor(await loadModelFile(model), options);
    return { kind: 'result', result: judgeOperations(history, loaded, options) };
  } catch (error) {
    const { name, message } = error as Error;
    return { kind: 'error', name, message };
  }
}

function modelFor(model: string | SequentialModel, options: OperationCheckOptions): SequentialModel {
  const { initial, nilIsUnknown = false, independent = false } = options;
  if (typeof model !== 'string' && initial !== undefined)
    throw new ModelError(`${model.name} has its own initial state; found another one, expected none`);
  const found =
    typeof model === 'string'
      ? builtInModel(model, { nilIsUnknown, ...(initial !== undefined && { initial }) })
      : model;
  return independent ? keyed(found) : found;
}

function inWorker(task: ModelTask): Promise<OperationResult> {
  const { timeMs, memoryBytes, level } = task.options;
  const folder = import.meta.url.endsWith('.ts') ? '../../dist/objects/' : './';
  const thread = new Worker(new URL(`${folder}model-main.js`, import.meta.url), {
    workerData: task,
    ...(memoryBytes !== undefined && {
      resourceLimits: { maxOldGenerationSizeMb: Math.max(MIN_HEAP_MB, Math.ceil(memoryBytes / 2 ** 20)) },
    }),
  });
  let failed: (error: Error) => void = () => {};
  const worker = started(thread, (error) => failed(error));
  const { operations, numFailed } = task.history;
  const unknown = (reason: 'timeout' | 'memory' | 'crashed', detail: string): OperationResult => ({
    model: task.model,
    level,
    verdict: 'unknown',
    reason,
    detail,
    operations: operations.length,
    pending: operations.filter(({ return: returned }) => returned === null).length,
    failed: numFailed,
    configurations: 0,
    ms: performance.now() - begin,
    certificate: null,
    uncertified: null,
    stopped: null,
    summary: null,
    story: null,
  });
  const begin = performance.now();
  let timer: NodeJS.Timeout | undefined;
  return new Promise<OperationResult>((resolve, reject) => {
    if (timeMs !== undefined) {
      const late = `the time limit of ${timeMs / 1000} s was reached`;
      timer = setTimeout(() => resolve(unknown('timeout', late)), timeMs + GRACE_MS);
    }
    worker.on('message', (answer: ModelAnswer) => {
      if (answer.kind === 'result') resolve(answer.result);
      else reject(errorOf(answer));
    });
    failed = (error: Error & { readonly code?: string }) => {
      const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (isFailedStart(error)) reject(error);
      else resolve(unknown(isMemory ? 'memory' : 'crashed', isMemory ? 'the memory limit was reached' : error.message));
    };
    worker.on('exit', (code) => resolve(unknown('crashed', `the model ended its thread (exit code ${code})`)));
  }).finally(() => {
    clearTimeout(timer);
    void worker.terminate();
  });
}

/** Errors lose their class between threads. */
const errorOf = ({ name, message }: { readonly name: string; readonly message: string }): Error =>
  name === 'ModelError' ? new ModelError(message) : Object.assign(new Error(message), { name });

/** Time between the limit, at which a search should end by itself, and the end of its thread. */
const GRACE_MS = 4000;
const MIN_HEAP_MB = 16;
