import { syncBuiltinESMExports } from 'node:module';
import process from 'node:process';

/** Treatment of a call that would end this process: it is executed, it throws, or it has no effect. */
export type Judgement = 'allowed' | 'forbidden' | 'ignored';

/** Intercepts calls that would end this process or send a message in its name, but not signals to other processes. */
export function forbidEnding(judge: (call: string) => Judgement): void {
  for (const name of ['exit', 'reallyExit', 'abort', 'kill', 'send', 'disconnect'] as const) {
    const methods = process as unknown as Record<string, ((...args: unknown[]) => unknown) | undefined>;
    const original = methods[name]?.bind(process);
    if (!original) continue; // there is no parent process to receive messages
    const guard = (...args: unknown[]): unknown => {
      if (name === 'kill' && !endsUs(args)) return original(...args);
      const call = `called process.${name}(${args.map(shown).join(', ')})`;
      const judgement = judge(call);
      if (judgement === 'allowed') return original(...args);
      if (judgement === 'ignored') return undefined;
      throw new Error(`the checker ${call}, which would end isolab`);
    };
    Object.defineProperty(process, name, { value: guard, writable: true, configurable: true, enumerable: true });
  }
  syncBuiltinESMExports();
}

/** Returns whether a signal goes to this process or its group. Signal 0 only tests whether a process exists. */
const endsUs = ([pid, signal]: readonly unknown[]): boolean =>
  signal !== 0 && (Number(pid) === process.pid || Number(pid) <= 0);

const shown = (value: unknown): string =>
  typeof value === 'number' || typeof value === 'string' ? String(value) : '…';
