/** Thread that runs a user's model. */
import { parentPort, workerData } from 'node:worker_threads';
import { type ModelAnswer, type ModelTask, answerOf } from './check-operations.ts';

const port = parentPort!;
const tell = (answer: ModelAnswer): void => port.postMessage(answer);

tell(await answerOf(workerData as ModelTask));
