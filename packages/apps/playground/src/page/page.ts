import type { LevelName } from 'isolab/check';
import type {
  Answer,
  ComparedAll,
  Judged,
  LevelsCompared,
  Opened,
  Progress,
  Refusal,
  Request,
  Told,
} from '../worker/protocol.ts';
import { type LevelVerdict, verdictsOf } from './verdicts.ts';
import { announce, bringIntoSight, data, element, show, write } from './elements.ts';
import { setUpInput } from './input.ts';
import { copyLink } from './copy-link.ts';
import { LinkError, readFragment } from './link.ts';
import {
  clearResult,
  pressWhole,
  saveConverted,
  setUpKeeping,
  showChosen,
  showComparison,
  showComparisons,
  showCounts,
  showLevelsCompared,
  showRefusal,
  showTold,
  showVerdicts,
  showVerified,
} from './result.ts';
import {
  SettingError,
  engineAsked,
  givenAs,
  isFindingAll,
  levelAsked,
  levelIn,
  limitsAsked,
  ownLevel,
  setUpSettings,
  settingsForLevel,
  takeSettings,
} from './settings.ts';
import { setUpStory } from './story-frame.ts';
import { time } from './words.ts';

/** Current request of the worker; an existing verdict stays when only its story is cancelled. */
type Busy = Request['kind'] | null;

let worker: Worker | null = null;
let unanswered = 0; // requests that the worker has not answered
let busy: Busy = null;
/** Level whose story is wanted; the story of an earlier choice is no longer shown. */
let wanted: LevelName | null = null;
/** Whether stories describe the whole history. */
let isWhole = false;
let began = 0;
let clock = 0;
let patience = 0;

const form = element<HTMLFormElement>('form');
const input = setUpInput(() => form.requestSubmit());

form.addEventListener('submit', (event) => {
  event.preventDefault();
  check();
});
setUpSettings();
setUpKeeping(tellWhole, (text) => void copyLink(async () => text, 'said'));
setUpStory();
element('compare').addEventListener('click', () =>
  withHistory((files) => ({ kind: 'compare', given: givenAs(files), level: levelAsked(), limits: limitsAsked() })),
);
element('verify').addEventListener('click', () =>
  withHistory((files) => ({
    kind: 'verify',
    given: givenAs(files),
    certificate: certificate.value,
    own: ownLevel(),
  })),
);
element('compare-levels').addEventListener('click', () =>
  anewUnlessWrong(() => ({
    kind: 'compare-levels',
    first: levelIn('first-level'),
    second: levelIn('second-level'),
  })),
);
element('copy-link').addEventListener('click', () => void copyLink(() => input.text(), 'link-note'));
element('counts').addEventListener('toggle', () => {
  if (element<HTMLDetailsElement>('counts').open && element('count-rows').childElementCount === 0)
    ask({ kind: 'count' });
});
element('convert').addEventListener('click', () =>
  ask({ kind: 'convert', format: element<HTMLSelectElement>('to').value }),
);
const certificate = element<HTMLTextAreaElement>('certificate');
element<HTMLInputElement>('certificate-file').addEventListener('change', async ({ target }) => {
  const [file] = (target as HTMLInputElement).files ?? [];
  if (file) certificate.value = await file.text();
});
window.addEventListener('hashchange', () => void openLink());
void openLink();
element('cancel').addEventListener('click', () => cancel());
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && busy !== null) cancel();
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});

function check(): void {
  isWhole = false;
  withHistory((files) => ({
    kind: 'check',
    given: givenAs(files),
    level: levelAsked(),
    engine: engineAsked(),
    limits: limitsAsked(),
    findAll: isFindingAll(),
  }));
}

/** Sends a request about the current history. */
function withHistory(requestFor: (files: readonly File[]) => Request): void {
  const files = input.files();
  if (files.length === 0) {
    anew(null);
    refuse('There is no history yet.', 'Paste one, choose a file, or pick an example.');
    return;
  }
  anewUnlessWrong(() => requestFor(files));
}

function anewUnlessWrong(request: () => Request): void {
  try {
    anew(request());
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    anew(null);
    refuse(error.message, '');
  }
}

/** Ends the current request, and sends a new one. */
function anew(request: Request | null): void {
  if (unanswered > 0) stopWorker();
  clearResult();
  if (request !== null) ask(request);
}

/** Opens the page's own link if it contains a history, which is checked immediately. */
async function openLink(): Promise<void> {
  try {
    const linked = await readFragment(window.location.hash);
    if (linked === null) return;
    takeSettings(linked.settings);
    input.put(linked.text);
    check();
  } catch (error) {
    if (!(error instanceof LinkError || error instanceof SettingError)) throw error;
    anew(null);
    refuse(error.message, '');
  }
}

function ask(request: Request): void {
  try {
    worker ??= startWorker();
  } catch (error) {
    refuse(`The browser could not start a worker: ${(error as Error).message}`, 'Try another browser.');
    return;
  }
  begin(request.kind);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
  worker.postMessage(request);
  unanswered++;
}

/** Starts the worker from a script in the page: nothing is loaded. */
function startWorker(): Worker {
  const address = URL.createObjectURL(new Blob([data<string>('worker-code')], { type: 'text/javascript' }));
  const started = new Worker(address);
  started.addEventListener('message', ({ data: answer }: MessageEvent<Answer>) => take(answer));
  started.addEventListener('error', (event) => {
    stopWorker();
    refuse(
      `The worker failed: ${event.message || 'it may have run out of memory'}`,
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
  if (answer.kind !== 'progress' && answer.kind !== 'opened') unanswered--;
  const takers = {
    progress,
    opened,
    judged,
    told,
    counted: ending(showCounts),
    converted: ending(saveConverted),
    compared: ending(compared),
    verified: ending(showVerified),
    'levels-compared': ending(levelsCompared),
    refusal,
  };
  (takers[answer.kind] as (taken: Answer) => void)(answer);
}

/** Ends the wait, and shows the answer. */
const ending =
  <Taken>(display: (answer: Taken) => void) =>
  (answer: Taken): void => {
    end();
    display(answer);
  };

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
  pressWhole(isWhole);
  ask({ kind: 'tell', level, whole: isWhole });
}

function tellWhole(whole: boolean): void {
  isWhole = whole;
  if (wanted !== null) askToTell(wanted);
}

function compared({ comparisons }: ComparedAll): void {
  const [first] = comparisons;
  if (comparisons.length === 1) showComparison(first!);
  else showComparisons(comparisons);
}

function levelsCompared(answer: LevelsCompared): void {
  showLevelsCompared(answer, (text, level) => {
    input.put(text);
    takeSettings(settingsForLevel(level));
    form.requestSubmit();
  });
}

function told(answer: Told): void {
  if (answer.level !== wanted) return;
  end();
  showTold(answer);
}

const refusal = ({ message, advice }: Refusal): void => refuse(message, advice);

function refuse(message: string, advice: string): void {
  const hasVerdict = busy !== null && KEEPING.has(busy);
  end();
  showRefusal(message, advice, hasVerdict);
}

function cancel(): void {
  const hasVerdict = busy !== null && KEEPING.has(busy);
  const after = time(performance.now() - began);
  stopWorker();
  if (hasVerdict) showRefusal(`Cancelled after ${after}; the verdict stands.`, '', true);
  else showRefusal(`Cancelled after ${after}: no verdict.`, 'Try a weaker level, or another checker.', false);
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
    announce('Working; Escape cancels.');
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

/** Requests about a history that has a verdict, which stays after any answer. */
const KEEPING: ReadonlySet<Request['kind']> = new Set(['tell', 'count', 'convert']);
const TICK_MS = 100;
/** Time until progress is shown. */
const PATIENCE_MS = 500;
