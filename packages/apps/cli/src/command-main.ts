/** Main module of the working process: runs one command, and reports verdicts, lost output and the end to main.ts. */
import { subscribe } from 'node:diagnostics_channel';
import module from 'node:module';
import process from 'node:process';
import type { Unfinished } from 'isolab/formats';
import { ExitCode } from './terminal/exit.ts';
import { endWithParent } from './terminal/end-with-parent.ts';
import { endLostPlugins } from './plugin-watch.ts';
import { type FromCommand, SIGNALS, type ToCommand } from './terminal/messages.ts';
import { tellingPrinter, terminalPrinter } from './terminal/print.ts';

const tell = (message: FromCommand): void => {
  if (process.connected) process.send!(message, () => {}); // an error means that main.ts is gone, which ends this process, too
};

/** Defined here because an error may end this process while the command still runs. */
const LONGEST_GOODBYE_MS = 10_000;

// Set by isolab.cjs for this process alone.
const tunables = process.env['GLIBC_TUNABLES']?.replace(/:?glibc\.malloc\.hugetlb=1$/, '');
if (tunables) process.env['GLIBC_TUNABLES'] = tunables;
else delete process.env['GLIBC_TUNABLES'];

const abort = new AbortController();
const terminal = terminalPrinter((why, isClosed) => tell({ kind: 'lost', why, isClosed }));
const printer = tellingPrinter(terminal, tell, () => abort.signal);

process.on('message', (message: ToCommand) => {
  if (message.kind === 'interrupt') abort.abort();
  else process.exit();
});
process.on('disconnect', () => {
  // Runs after all other removals. A read of a silent pipe would keep the process from ending.
  process.once('exit', () => process.kill(process.pid, 'SIGKILL'));
  process.exit();
});
// A command that waits for an event that never comes ends, although main.ts might still send a message.
process.channel?.unref();
// Terminals send signals to the whole group; a signal to this process alone means the program as well.
for (const name of SIGNALS) process.on(name, () => tell({ kind: 'signal', name }));
// Writers of files publish the names of incomplete files.
subscribe('isolab:unfinished', (told) => tell({ kind: 'unfinished', ...(told as Unfinished) }));
endWithParent();
endLostPlugins();

let isDone = false;
const done = async (code: number): Promise<void> => {
  if (isDone) return;
  isDone = true;
  await terminal.flush();
  tell({ kind: 'done', code });
  setTimeout(() => process.exit(), LONGEST_GOODBYE_MS); // main.ts ends this process sooner
};

// Even the code that reports errors may have failed to load.
work().catch((error: Error) => {
  printer.note(`isolab: ${error.message}`);
  void done(ExitCode.Failed);
});

async function work(): Promise<void> {
  // From Node 22 on, compiled code is cached. This saves an eighth of the time of a short run.
  (module as { enableCompileCache?: () => void }).enableCompileCache?.();
  const { reportError } = await import('./terminal/report-error.ts');
  const { isVerbose, run } = await import('./run.ts');
  process.on('uncaughtException', (error) => {
    if (!isDone) void done(reportError(error, process.argv.some(isVerbose), printer));
  });
  await done(await run(process.argv.slice(2), printer));
}
