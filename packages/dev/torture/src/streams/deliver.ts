import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@isolab/workloads';
import type { Running } from './workers.ts';

export type Source = 'file' | 'standard input' | 'tcp' | 'http';

/** Words that name the sources on the command line of `isolab watch`. */
export const WORDS: Readonly<Record<Source, string>> = {
  file: 'history.jsonl',
  'standard input': '-',
  tcp: 'tcp://127.0.0.1:0',
  http: 'http://127.0.0.1:0/',
};

export interface Delivery {
  readonly source: Exclude<Source, 'file'>;
  readonly text: string;
  readonly random: Random;
  /** Returns whether all accepted lines are in the log. */
  readonly isTaken: () => boolean;
}

/**
 * Delivers a text to a running command, in pieces, and ends the command if its input does not. Returns whether the
 * answer to the sender refused a part.
 */
export async function deliver(running: Running, { source, text, random, isTaken }: Delivery): Promise<boolean> {
  const over = running.code.then(() => 'over' as const);
  if (source === 'standard input') {
    for (const piece of pieces(text, random)) {
      running.stdin.write(piece);
      if (random.chance(0.2)) await sleep(random.below(20));
    }
    running.stdin.end();
    await over;
    return false;
  }
  const port = await Promise.race([over, portOf(running)]);
  if (port === 'over') return false;
  const isRefused = source === 'tcp' ? await sendToSocket(port, text, random, over) : await post(port, text, random);
  const waited = Promise.race([over, until(() => isRefused || isTaken())]);
  if ((await waited) === 'over') return isRefused;
  const ended = await Promise.race([over, sleep(text.includes('{"isolab":"end"}') && !isRefused ? PATIENCE_MS : 0)]);
  if (ended !== 'over') running.interrupt();
  await over;
  return isRefused;
}

async function sendToSocket(port: number, text: string, random: Random, over: Promise<unknown>): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => (answer += String(chunk)));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  for (const piece of pieces(text, random)) {
    socket.write(piece);
    if (random.chance(0.2)) await sleep(random.below(20));
  }
  socket.end();
  await Promise.race([closed, over]);
  return answer !== '';
}

async function post(port: number, text: string, random: Random): Promise<boolean> {
  const lines = text.match(/[^\n]*\n/g) ?? [];
  for (let at = 0; at < lines.length;) {
    const count = 1 + random.below(4);
    const body = lines.slice(at, at + count).join('');
    at += count;
    try {
      const { status } = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body });
      if (status !== 200) return true;
    } catch {
      return true; // it was killed, or has ended
    }
  }
  return false;
}

/** Finds the port at which it accepts lines, from its output. */
async function portOf({ notes }: Running): Promise<number> {
  const found = (): string | undefined =>
    notes.map((note) => /^Listening for lines at \w+:\/\/[^:]+:(\d+)/.exec(note)?.[1]).find(Boolean);
  await until(() => found() !== undefined);
  return Number(found());
}

/** Writes the watched file, or moves it away and writes another one with the next lines. */
export function writeFile(folder: string, text: string, movedAt: number | null): void {
  const path = join(folder, WORDS.file);
  if (movedAt !== null) renameSync(path, `${path}.1`);
  writeFileSync(path, text.slice(movedAt ?? 0));
}

/** Appends pieces to the watched file while it is being watched. */
export async function growFile(folder: string, { text, random }: Pick<Delivery, 'text' | 'random'>): Promise<false> {
  for (const piece of pieces(text, random)) {
    appendFileSync(join(folder, WORDS.file), piece);
    if (random.chance(0.3)) await sleep(random.below(30));
  }
  return false;
}

function pieces(text: string, random: Random): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length;) {
    const size = 1 + random.below(random.pick([10, 200]));
    found.push(text.slice(at, at + size));
    at += size;
  }
  return found;
}

export async function until(is: () => boolean): Promise<void> {
  for (let waited = 0; waited < 10 * PATIENCE_MS && !is(); waited += STEP_MS) await sleep(STEP_MS);
}

const STEP_MS = 5;
const PATIENCE_MS = 3000;
