#!/usr/bin/env node
/**
 * The program. It works in a second process, command-main.ts, and waits for that here: a process that computes, or waits
 * for the system, hears no signal, and one that crashes or that a plug-in ends cannot say what it had found. Whatever
 * happens there, the exit code is decided here, from what was put on record.
 */
import { type ChildProcess, fork } from 'node:child_process';
import process from 'node:process';
import { MARK, descendantsOf, endAll, isIn, markedWith } from './descendants.ts';
import { ExitCode, Ledger } from './exit.ts';
import { type FromCommand, SIGNALS, type ToCommand } from './messages.ts';

const mark = `${process.pid}-${Date.now()}`;
const ledger = new Ledger();
let isEnding = false;
let isInterruptible = false;
let firstSignal: number | null = null;
let whenCut: NodeJS.Timeout | null = null;

process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);
process.stderr.on('error', () => ledger.add(ExitCode.Failed));
for (const signal of SIGNALS) process.on(signal, hearSignal);

const command = start();
command?.on('message', hear);
command?.on('error', fail);
command?.on('exit', (code, signal) => {
  // What it said last may still be under way.
  setTimeout(() => void vanished(code, signal), command.connected ? LAST_WORDS_MS : 0);
});

function start(): ChildProcess | null {
  try {
    const env = { ...process.env, [MARK]: mark };
    return fork(new URL('command-main.js', import.meta.url), process.argv.slice(2), { stdio: 'inherit', env });
  } catch (error) {
    fail(error);
    return null;
  }
}

function hear(message: FromCommand): void {
  if (message.kind === 'judged') ledger.add(message.code);
  if (isEnding) return;
  if (message.kind === 'interruptible') isInterruptible = message.is;
  else if (message.kind === 'signal' && firstSignal === null) hearSignal();
  else if (message.kind === 'lost') loseOutput(message);
  else if (message.kind === 'done') {
    ledger.add(message.code);
    void end();
  }
}

/** The first signal interrupts, a second one ends at once. */
function hearSignal(): void {
  const now = Date.now();
  // A terminal and the programs between, such as npx or timeout, may pass on one and the same signal several times.
  if (firstSignal !== null && now - firstSignal < SAME_SIGNAL_MS) return;
  const isFirst = firstSignal === null;
  firstSignal ??= now;
  ledger.add(ExitCode.Unknown);
  if (!isFirst || !isInterruptible) {
    void end();
    return;
  }
  tell({ kind: 'interrupt' });
  endSoon();
}

/** Nobody reads what is printed any more, or it cannot be written; what is left to judge has a moment to be judged. */
function loseOutput({ why, isClosed }: Extract<FromCommand, { kind: 'lost' }>): void {
  ledger.add(isClosed ? ExitCode.Unknown : ExitCode.Failed);
  if (!isClosed) say(why);
  endSoon();
}

function endSoon(): void {
  whenCut ??= setTimeout(() => void end(), PATIENCE_MS);
}

/** The command's process is gone. */
async function vanished(code: number | null, signal: NodeJS.Signals | null): Promise<void> {
  if (isEnding) return;
  const [how, verdict] = ending(code, signal);
  ledger.add(verdict);
  say(`this ended before it was finished: ${how}.`);
  await end();
}

function ending(code: number | null, signal: NodeJS.Signals | null): readonly [string, number] {
  if (signal === 'SIGKILL' || signal === 'SIGABRT')
    return [`its process was killed by ${signal}, as happens when memory runs out`, ExitCode.Unknown];
  if (signal !== null) return [`its process was killed by ${signal}`, ExitCode.Failed];
  if (code === UNSETTLED) return ['it waits for something that will never come', ExitCode.Failed];
  return [`something in its process, such as a plug-in, made it exit (with code ${code})`, ExitCode.Failed];
}

/** Node's exit code for a program that awaits what nothing is left to settle. */
const UNSETTLED = 13;

/** The one way out: nothing that was started is left behind. */
async function end(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  const pid = command?.pid;
  // As long as the command's process lives it is known whom it started.
  const started = descendantsOf(process.pid).filter((each) => each.pid !== pid);
  if (command && pid !== undefined && command.exitCode === null && command.signalCode === null) {
    const gone = new Promise((resolve) => command.once('exit', resolve));
    tell({ kind: 'end' });
    await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, GOODBYE_MS))]);
    started.push(...descendantsOf(process.pid).filter((each) => each.pid !== pid && !isIn(started, each)));
    command.kill('SIGKILL');
  }
  // Those of a process that ended before anybody looked have lost their parent.
  started.push(...markedWith(mark).filter((each) => each.pid !== pid && !isIn(started, each)));
  await endAll(started, CHILDREN_MS);
  process.exit(ledger.code);
}

function fail(error: unknown): void {
  ledger.add(ExitCode.Failed);
  say(error instanceof Error ? error.message : String(error));
  void end();
}

function say(text: string): void {
  process.stderr.write(`isolab: ${text}\n`);
}

function tell(message: ToCommand): void {
  if (command?.connected) command.send(message, () => {}); // an error means that it is gone, which 'exit' tells
}

/** Every command ends within five seconds of its reason to end. */
const PATIENCE_MS = 3500;
/** So long its process has to leave by itself, and to remove what it has not finished. */
const GOODBYE_MS = 250;
/** So long the processes that it started have, such as a server. */
const CHILDREN_MS = 1000;
const LAST_WORDS_MS = 100;
const SAME_SIGNAL_MS = 300;
