import type { LevelName } from '@isolab/contract';
import type { Answer, Judged, Opened, Progress, Refusal, Request, Told } from '../protocol.ts';
import { type LevelVerdict, verdictsOf } from '../verdicts.ts';
import { announce, bringIntoSight, data, element, show, write } from './elements.ts';
import { setUpInput } from './input.ts';
import { clearResult, setUpKeeping, showChosen, showRefusal, showTold, showVerdicts } from './result.ts';
import { setUpStory } from './story-frame.ts';
import { time } from './words.ts';

/** What the worker is busy with; a verdict that is there stays when only its story is cancelled. */
type Busy = Request['kind'] | null;

let worker: Worker | null = null;
let unanswered = 0; // requests that the worker is at or has before it
let busy: Busy = null;
/** Whose story is wanted; what comes of another one that was chosen before is not shown any more. */
let wanted: LevelName | null = null;
let began = 0;
let clock = 0;
let patience = 0;

const form = element<HTMLFormElement>('form');
const input = setUpInput(() => form.requestSubmit());

form.addEventListener('submit', (event) => {
  event.preventDefault();
  check();
});
setUpKeeping();
setUpStory();
element('cancel').addEventListener('click', () => cancel());
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && busy !== null) cancel();
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});

function check(): void {
  const files = input.files();
  if (unanswered > 0) stopWorker();
  clearResult();
  if (files.length === 0) {
    refuse('There is no history yet.', 'Paste one, choose a file, or pick an example.');
    return;
  }
  const valueOf = (id: string): string => element<HTMLSelectElement>(id).value;
  ask({
    kind: 'check',
    files,
    format: valueOf('format'),
    level: valueOf('level') as LevelName | 'all',
    checker: valueOf('checker'),
  });
}

function ask(request: Request): void {
  try {
    worker ??= startWorker();
  } catch (error) {
    refuse(`The browser does not start a worker: ${(error as Error).message}`, 'Try another browser.');
    return;
  }
  begin(request.kind);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
  worker.postMessage(request);
  unanswered++;
}

/** The worker's script is in the page: there is nothing to load. */
function startWorker(): Worker {
  const address = URL.createObjectURL(new Blob([data<string>('worker-code')], { type: 'text/javascript' }));
  const started = new Worker(address);
  started.addEventListener('message', ({ data: answer }: MessageEvent<Answer>) => take(answer));
  started.addEventListener('error', (event) => {
    stopWorker();
    refuse(
      `The worker broke: ${event.message || 'it may have run out of memory'}`,
      'Try again; for large histories, use the isolab command.',
    );
  });
  return started;
}

function stopWorker(): void {
  worker?.terminate();
  worker = null;
  unanswered = 0;
  end();
}

function take(answer: Answer): void {
  if (answer.kind === 'judged' || answer.kind === 'told' || answer.kind === 'refusal') unanswered--;
  const takers = { progress, opened, judged, told, refusal };
  (takers[answer.kind] as (taken: Answer) => void)(answer);
}

const progress = ({ doing, done, total }: Progress): void => {
  const bar = element<HTMLProgressElement>('progress');
  if (total > 0) bar.value = done / total;
  else bar.removeAttribute('value');
  write('doing', doing);
};

const opened = ({ name, content }: Opened): void => write('opened', `${name}: ${content}.`);

function judged({ result }: Judged): void {
  end();
  const verdicts = verdictsOf(result);
  showVerdicts(verdicts, choose);
  if (verdicts.telling !== null) askToTell(verdicts.telling);
}

function choose(verdict: LevelVerdict): void {
  wanted = null;
  if (busy === 'tell') end();
  showChosen(verdict);
  if (verdict.status !== 'unknown' && verdict.by !== null) askToTell(verdict.level);
}

function askToTell(level: LevelName): void {
  wanted = level;
  ask({ kind: 'tell', level });
}

function told(answer: Told): void {
  if (answer.level !== wanted) return;
  end();
  showTold(answer);
}

const refusal = ({ message, advice }: Refusal): void => refuse(message, advice);

function refuse(message: string, advice: string): void {
  const wasTelling = busy === 'tell';
  end();
  showRefusal(message, advice, wasTelling);
}

function cancel(): void {
  const wasTelling = busy === 'tell';
  const after = time(performance.now() - began);
  stopWorker();
  if (wasTelling) showRefusal(`Cancelled after ${after}; the verdict stands, its story is not told.`, '', true);
  else showRefusal(`Cancelled after ${after}: no verdict.`, 'Ask for a weaker level, or for another checker.', false);
  element('check').focus();
}

function begin(what: Busy): void {
  busy = what;
  began = performance.now();
  progress({ kind: 'progress', doing: 'Beginning', done: 0, total: 0 });
  const tick = (): void => write('elapsed', `${((performance.now() - began) / 1000).toFixed(1)} s`);
  tick();
  stopTimers();
  clock = window.setInterval(tick, TICK_MS);
  patience = window.setTimeout(() => {
    bringIntoSight('running');
    announce('Working on it; Escape cancels.');
  }, PATIENCE_MS);
  show('running', true);
  form.setAttribute('aria-busy', 'true');
}

function end(): void {
  busy = null;
  stopTimers();
  show('running', false);
  form.removeAttribute('aria-busy');
}

function stopTimers(): void {
  clearInterval(clock);
  clearTimeout(patience);
}

const TICK_MS = 100;
/** After so long, one wants to see what is going on. */
const PATIENCE_MS = 500;
