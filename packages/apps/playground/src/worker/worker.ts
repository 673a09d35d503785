// oxlint-disable-next-line import/no-unassigned-import -- before all others, for its effect on the global scope
import './node/globals.ts';
import { FormatError, LevelError, Refusal as Refused, RunnerError } from 'isolab/check';
import type { AnswerToStart, Refusal, Request } from './protocol.ts';
import { type Checked, check } from './check.ts';
import { CERTIFICATE, compareAll, compareTwoLevels, convertTo, countIn, verifyText } from './more.ts';
import { checkInProcess } from './simulator.ts';
import { brief, tell } from './tell.ts';

/** Type of a worker's global scope, because the compiler assumes a window. */
const scope = globalThis as unknown as {
  addEventListener: (kind: 'message', listener: (event: { readonly data: Request }) => void) => void;
  postMessage: (answer: AnswerToStart) => void;
};

let last: Checked | null = null;

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has one page
const say = (said: AnswerToStart): void => scope.postMessage(said);

/** Answers the messages of a page; the script of the worker calls this, and a simulator's module does not. */
export function listen(): void {
  scope.addEventListener('message', ({ data: request }) => void answer(request));
}

export { checkInProcess };

async function answer(request: Request): Promise<void> {
  try {
    if (request.kind === 'check') {
      last = null;
      last = await check(request, say);
    } else if (request.kind === 'compare') say(await compareAll(request, say));
    else if (request.kind === 'verify') say(await verifyText(request, say));
    else if (request.kind === 'compare-levels') say(compareTwoLevels(request.first, request.second));
    else if (last === null)
      say({ kind: 'refusal', message: 'The checked history is no longer in memory.', advice: 'Check it again.' });
    else if (request.kind === 'tell') say(await tell(last, request.level, say, request.whole));
    else if (request.kind === 'brief') say(await brief(last, request.level, say));
    else if (request.kind === 'count') say(countIn(last.input));
    else say(await convertTo(last.input, request.format));
  } catch (error) {
    say(refusalOf(error));
  }
}

function refusalOf(error: unknown): Refusal {
  const refuse = (message: string, advice: string): Refusal => ({ kind: 'refusal', message, advice });
  if (error instanceof FormatError && error.file === CERTIFICATE) return refuse(error.message, 'Correct it there.');
  if (error instanceof FormatError) {
    return refuse(
      error.message
        .replace('name it with --format', 'choose it under “Format”')
        .replace('with --format', 'under “Format”'),
      error.position === null
        ? 'Enter a history in one of the formats, or in the notation of the examples.'
        : 'Correct it there; or choose another format under “Format”, if the wrong one was detected.',
    );
  }
  if (error instanceof LevelError) return refuse(error.message, 'Correct it there, in your level.');
  if (error instanceof Refused) return refuse(error.message, 'Leave them out of the workload.');
  if (error instanceof RunnerError) return refuse(error.message, 'Correct it under “More settings”.');
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  if (error instanceof RangeError && /allocation failed|invalid (typed )?array length/i.test(error.message))
    return refuse(`The history does not fit into the memory of this page (${message}).`, 'Use the isolab command.');
  return refuse(
    `${message} (this is a bug in isolab; please report it)`,
    'Try another checker, or the isolab command.',
  );
}
