/**
 * Main module of the waiting process. The command runs in a second process, command-main.ts: a process that computes,
 * or waits for the system, receives no signal, and a process that crashes or that a plug-in ends cannot print its
 * findings. This process always decides the exit code, from the recorded findings.
 */
import type { ChildProcess } from 'node:child_process';
import { realpathSync, rmSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { type Process, descendantsOf, endAll, isIn, markedWith } from './terminal/descendants.ts';
import { ExitCode, Ledger } from './terminal/exit.ts';
import { type FromCommand, type Parts, SIGNALS, type ToCommand } from './terminal/messages.ts';
import { streamWriter } from './terminal/stream-writer.ts';

let command: ChildProcess | null = null;
/** Environment variable that all descendants of this process inherit. */
let mark = '';
const ledger = new Ledger();
let isEnding = false;
let isDone = false;
let isInterruptible = false;
/** States that the first signal lets the command finish its work; the second signal ends it. */
let isPatient = false;
let firstSignal: number | null = null;
let whenCut: NodeJS.Timeout | null = null;
/** Output to print for unfinished parts if the command is cut off. */
let parts: Parts | null = null;
let partsDone: string[] = [];
/** Output of each finished part for each file. */
let filesDone: (readonly string[])[] = [];
const unfinished = new Set<string>();
let isOutLost = false;

process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);
process.stderr.on('error', () => ledger.add(ExitCode.Failed));
for (const signal of SIGNALS) process.on(signal, () => hearSignal(signal));

/** Waits for the started process, or reports why it could not be started. */
export function waitFor(started: ChildProcess | Error, markOfAll: string): void {
  mark = markOfAll;
  if (started instanceof Error) {
    fail(started);
    return;
  }
  command = started;
  started.on('message', hear);
  started.on('error', fail);
  started.on('exit', (code, signal) => {
    // The last message of the command may not have arrived yet.
    setTimeout(() => void vanished(code, signal), started.connected ? LAST_WORDS_MS : 0);
  });
}

/** Handles a message of the command, from either process. */
export function hear(message: FromCommand): void {
  if (message.kind === 'judged') ledger.add(message.code);
  else if (message.kind === 'unfinished') unfinished[message.isThere ? 'add' : 'delete'](message.path);
  else if (message.kind === 'parts') [parts, partsDone, filesDone] = [message.parts, [], []];
  else if (message.kind === 'part-done') {
    partsDone.push(message.out);
    filesDone.push(message.files);
  }
  if (isEnding) return;
  if (message.kind === 'interruptible') isInterruptible = message.is;
  else if (message.kind === 'patient') isPatient = true;
  else if (message.kind === 'signal' && firstSignal === null) hearSignal(message.name);
  else if (message.kind === 'lost') loseOutput(message);
  else if (message.kind === 'done') {
    ledger.add(message.code);
    isDone = true;
    void end();
  }
}

/** Handles a signal: the first interrupts, a second one ends the program immediately. */
function hearSignal(signal: NodeJS.Signals): void {
  const now = Date.now();
  // A terminal and the programs in between, such as npx or timeout, may deliver the same signal several times.
  if (firstSignal !== null && now - firstSignal < SAME_SIGNAL_MS) return;
  const isFirst = firstSignal === null;
  firstSignal ??= now;
  if (!isFirst || !isPatient || !isInterruptible) ledger.add(ExitCode.Unknown);
  const endNow = (): void => {
    if (!isEnding) say(`ended by ${signal} before it was finished${soFar()}.`);
    void end();
  };
  if (!isFirst || !isInterruptible) {
    endNow();
    return;
  }
  tell({ kind: 'interrupt' });
  if (!isPatient) endSoon(endNow);
}

/** Text for a violation that was found but may not have been printed. */
const soFar = (): string => (ledger.code === ExitCode.Violated ? '; a violation had been found before' : '');

/** Handles an output whose reader has closed it, or that cannot be written. The remaining checks get a moment. */
function loseOutput({ why, isClosed }: Extract<FromCommand, { kind: 'lost' }>): void {
  isOutLost = true;
  ledger.add(isClosed ? ExitCode.Unknown : ExitCode.Failed);
  if (!isClosed) say(why);
  endSoon(() => void end());
}

function endSoon(endNow: () => void): void {
  whenCut ??= setTimeout(endNow, PATIENCE_MS);
}

/** Handles the end of the command's process. */
async function vanished(code: number | null, signal: NodeJS.Signals | null): Promise<void> {
  if (isEnding) return;
  const [how, verdict] = ending(code, signal);
  ledger.add(verdict);
  say(`ended before it was finished: ${how}${soFar()}.`);
  await end();
}

function ending(code: number | null, signal: NodeJS.Signals | null): readonly [string, number] {
  if (signal === 'SIGKILL' || signal === 'SIGABRT')
    return [`its process was killed by ${signal}, as happens when memory runs out`, ExitCode.Unknown];
  if (signal === 'SIGUSR2') return ['a plug-in did not return', ExitCode.Failed]; // see plugin-watch.ts
  if (signal !== null) return [`its process was killed by ${signal}`, ExitCode.Failed];
  if (code === UNSETTLED) return ['it waits for an event that can never happen', ExitCode.Failed];
  return [`something in its process, such as a plug-in, made it exit with code ${code}`, ExitCode.Failed];
}

/** Node's exit code for a program that awaits a promise that never settles. */
const UNSETTLED = 13;

/** Single exit of the program: ends all processes that were started. */
async function end(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  try {
    const below = command === null ? [] : await endCommand(command).catch(cannotEnd);
    for (const path of unfinished) removeUnfinished(path);
    await Promise.all([endAll(below, CHILDREN_MS), printMissing(), writeMissing()]);
  } catch (error) {
    cannotEnd(error as Error);
  }
  process.exit(ledger.code);
}

/** If the system does not list processes, at least the working process ends. */
function cannotEnd({ message }: Error): Process[] {
  ledger.add(ExitCode.Failed);
  say(message);
  command?.kill('SIGKILL');
  return [];
}

/** Ends the working process, and returns the processes that it leaves behind. */
async function endCommand(working: ChildProcess): Promise<Process[]> {
  const { pid } = working;
  // The children of the command's process are known only while it lives.
  const below = descendantsOf(process.pid).filter((each) => each.pid !== pid);
  if (pid !== undefined && working.exitCode === null && working.signalCode === null) {
    const gone = new Promise((resolve) => working.once('exit', resolve));
    if (!isDone) {
      tell({ kind: 'end' });
      await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, GOODBYE_MS))]);
      below.push(...descendantsOf(process.pid).filter((each) => each.pid !== pid && !isIn(below, each)));
    }
    working.kill('SIGKILL');
    await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, GOODBYE_MS))]);
  }
  // Processes whose parent ended earlier are no longer descendants of this one.
  below.push(...markedWith(mark).filter((each) => each.pid !== pid && !isIn(below, each)));
  return below;
}

/** Removes a path that a killed process could not remove itself. */
function removeUnfinished(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    say(`the unfinished ${path} could not be removed: ${(error as Error).message}`);
  }
}

/** Prints the state of each remaining history if a command is cut off between several. */
async function printMissing(): Promise<void> {
  if (parts === null) return;
  const { head, missing, foot } = parts;
  const left = missing.slice(partsDone.length);
  const names = left.slice(0, NAMED).map(({ name }) => name);
  const more = left.length > NAMED ? ` and ${left.length - NAMED} more` : '';
  if (left.length > 0) say(`not finished: ${names.join(', ')}${more}.`);
  const lines = [head, ...partsDone, ...left.map(({ out }) => out), foot].filter((text) => text !== '');
  if (isOutLost || lines.length === 0) return;
  const out = streamWriter(process.stdout, 'standard output', (why) => {
    ledger.add(ExitCode.Failed);
    say(why);
  });
  out.write(`${lines.join('\n')}\n`);
  await Promise.race([out.flush(), new Promise((resolve) => setTimeout(resolve, CHILDREN_MS))]);
}

/** Writes the missing parts to files that need them. */
async function writeMissing(): Promise<void> {
  const files = parts?.files ?? [];
  if (files.length === 0) return;
  const { writeFileTo } = await import('isolab/formats');
  const writing = files.map(async ({ path, head, missing, foot }, at) => {
    const told = [...filesDone.map((texts) => texts[at]!), ...missing.slice(filesDone.length)];
    if (told.every((text) => text === '')) return;
    const whole = [head, ...told, foot].filter((text) => text !== '').join('\n');
    await writeFileTo(path, `${whole}\n`).catch((error: Error) => {
      ledger.add(ExitCode.Failed);
      say(error.message);
    });
  });
  await Promise.race([Promise.all(writing), new Promise((resolve) => setTimeout(resolve, CHILDREN_MS))]);
}

const NAMED = 5;

function fail(error: unknown): void {
  ledger.add(ExitCode.Failed);
  say(error instanceof Error ? error.message : String(error));
  void end();
}

function say(text: string): void {
  const overProgress = process.stderr.isTTY ? '\r\u001B[K' : '';
  process.stderr.write(`${overProgress}isolab: ${text}\n`);
}

function tell(message: ToCommand): void {
  if (command?.connected) command.send(message, () => {}); // an error means that the process is gone, which 'exit' reports
}

/** Every command ends within five seconds of its reason to end. */
const PATIENCE_MS = 2000;
/** Time for the command's process to end by itself and to remove unfinished paths. */
const GOODBYE_MS = 250;
/** Time for the processes that it started, such as a server. */
const CHILDREN_MS = 1000;
const LAST_WORDS_MS = 100;
const SAME_SIGNAL_MS = 300;

// Runs the program if this file is called directly, as callers did before isolab.cjs existed; otherwise it would do
// nothing.
if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  void import(new URL('../isolab.cjs', import.meta.url).href);
