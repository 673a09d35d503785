/** Runs commands of isolab for its parent, one after another, until it is killed. */
import process from 'node:process';
import { type Printer, run } from '@isolab/cli';

/** Request of the parent: to run a command in a folder, or to interrupt the running command. */
export type Asked = { readonly words: readonly string[]; readonly folder: string } | 'interrupt';

export type Said =
  | { readonly kind: 'ready' }
  | { readonly kind: 'note' | 'out'; readonly text: string }
  | { readonly kind: 'done'; readonly code: number };

const say = (said: Said): void => void process.send?.(said);
const plain = (text: string): string => text;

let stop = new AbortController();

process.on('message', (asked: Asked) => {
  if (asked === 'interrupt') {
    stop.abort();
    return;
  }
  stop = new AbortController();
  process.chdir(asked.folder);
  const printer: Printer = {
    out: (text) => say({ kind: 'out', text }),
    note: (text) => say({ kind: 'note', text }),
    style: { bold: plain, dim: plain, red: plain, green: plain, yellow: plain },
    judged: () => {},
    interruptible: (task) => task(stop.signal),
    inParts: () => ({ next: () => {}, over: () => {} }),
  };
  void run(asked.words, printer).then((code) => say({ kind: 'done', code }));
});
process.once('disconnect', () => process.exit()); // the parent is gone
say({ kind: 'ready' });
