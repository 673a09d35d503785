/**
 * Script of the start page: checks the edited history after each change, and shows the verdict and its picture. It needs
 * the form of the site's start page, and the script of its worker in `isolabWorker`.
 */

import type { AnswerToStart, Brief, Check, Request } from '../worker/protocol.ts';
import { element, write } from './elements.ts';
import { levelLines } from './level-lines.ts';
import { LinkError, fragmentOf } from './link.ts';
import { verdictsOf } from './verdicts.ts';
import { colourOf, ended } from './words.ts';

const text = element<HTMLTextAreaElement>('live-text');
const started = startWorker();
let isBusy = false;
let isChanged = false;
let pause = 0;

text.addEventListener('input', () => {
  clearTimeout(pause);
  pause = window.setTimeout(() => check(), PAUSE_MS);
});
if (text.value !== text.defaultValue) check();
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-history]'))
  button.addEventListener('click', () => {
    text.value = button.dataset['history']!;
    check();
  });

/** Checks the current text; while a check runs, the next one waits for it. */
function check(): void {
  if (isBusy) {
    isChanged = true;
    return;
  }
  void linkToPlayground();
  if (text.value.trim() === '') {
    headline('warn', 'Write a history', 'One line per session.');
    draw(null);
    return;
  }
  ask(requestFor(new File([text.value], 'the text')));
}

const requestFor = (file: File): Check => ({
  kind: 'check',
  given: { files: [file], format: 'auto', failedStatements: 'published', initialTransaction: 'stated' },
  level: 'all',
  engine: { checker: 'auto', variant: null, options: {} },
  limits: { timeMs: LONGEST_MS, steps: null, allowVacuous: false, allowCutOff: false },
  findAll: false,
});

function ask(request: Request): void {
  isBusy = true;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
  started.postMessage(request);
}

function startWorker(): Worker {
  const { isolabWorker } = window as unknown as { readonly isolabWorker: string };
  const worker = new Worker(URL.createObjectURL(new Blob([isolabWorker], { type: 'text/javascript' })));
  worker.addEventListener('message', ({ data }: MessageEvent<AnswerToStart>) => take(data));
  return worker;
}

function take(answer: AnswerToStart): void {
  if (answer.kind === 'judged') {
    const verdicts = verdictsOf(answer.result);
    const { kept, notKept } = verdicts.answer ?? NO_LEVELS;
    const status = notKept !== null ? 'violated' : kept !== null ? 'satisfied' : 'unknown';
    headline(colourOf(status), TITLES[status], levelLines({ kept, notKept }));
    if (verdicts.telling === null || status !== 'violated') finish(null);
    else ask({ kind: 'brief', level: verdicts.telling });
  } else if (answer.kind === 'briefed') finish(answer.brief);
  else if (answer.kind === 'refusal') {
    headline('warn', 'Not a history yet', ended(answer.message));
    finish(null);
  }
}

function finish(brief: Brief | null): void {
  isBusy = false;
  draw(brief);
  if (!isChanged) return;
  isChanged = false;
  check();
}

function headline(colour: string, title: string, detail: string): void {
  element('live-verdict').className = colour;
  write('live-verdict', title);
  write('live-levels', detail);
}

function draw(brief: Brief | null): void {
  if (brief !== null) write('live-verdict', brief.title);
  write('live-summary', brief?.summary ?? '');
  element('live-wide').innerHTML = brief?.picture.wide ?? '';
  element('live-narrow').innerHTML = brief?.picture.narrow ?? '';
}

async function linkToPlayground(): Promise<void> {
  const link = element<HTMLAnchorElement>('live-link');
  try {
    link.hash = await fragmentOf({ text: text.value, settings: {} });
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
    link.hash = '';
  }
}

const NO_LEVELS = { kept: null, notKept: null };
const TITLES = { violated: 'Violated', satisfied: 'No violation', unknown: 'Not decided' } as const;
const PAUSE_MS = 150;
const LONGEST_MS = 5000;
