import { syncBuiltinESMExports } from 'node:module';
import process from 'node:process';

/** What a call would do that ends this process, as a message names it. */
export type OnEnding = (call: string) => boolean;

/**
 * Has calls that would end this process fail, where `isForbidden` says so of the one at hand. A signal to another process
 * is nobody's business here.
 */
export function forbidEnding(
  names: readonly ('exit' | 'reallyExit' | 'abort' | 'kill')[],
  isForbidden: OnEnding,
): void {
  for (const name of names) {
    const original = (process as unknown as Record<string, (...args: unknown[]) => unknown>)[name]!.bind(process);
    const guard = (...args: unknown[]): unknown => {
      const call = `called process.${name}(${args.map(shown).join(', ')})`;
      if ((name === 'kill' && !endsUs(args)) || !isForbidden(call)) return original(...args);
      throw new Error(`the checker ${call}, which would end isolab`);
    };
    Object.defineProperty(process, name, { value: guard, writable: true, configurable: true, enumerable: true });
  }
  syncBuiltinESMExports();
}

/** Whether a signal goes to this process or its group; 0 only asks whether a process is there. */
const endsUs = ([pid, signal]: readonly unknown[]): boolean =>
  signal !== 0 && (Number(pid) === process.pid || Number(pid) <= 0);

const shown = (value: unknown): string =>
  typeof value === 'number' || typeof value === 'string' ? String(value) : '…';
