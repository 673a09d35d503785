import { Interner, OpKind } from '@isolab/history';
import { KeyStates } from './key-states.ts';
import { ListStates } from './list-states.ts';
import { RealTime } from './real-time.ts';
import type { Snapshot } from './snapshot.ts';

export class Settled {
  readonly state = new KeyStates();
  readonly lists = new ListStates();
  readonly realTime = new RealTime();
  /** All sessions seen so far, with settled transactions or not. */
  readonly sessions = new Interner();

  see(sessions: Interner): void {
    for (let session = 0; session < sessions.size; session++) sessions.copyTo(session, this.sessions);
  }

  /** Settles consecutive transactions; `numberOf` maps each to its line in the stream. */
  fold({ history, stateKey, values }: Snapshot, settled: readonly number[], numberOf: (t: number) => number): void {
    const { txnStart, opKind, opKey, opValue } = history;
    const isSet = new Uint8Array(stateKey.length);
    for (const t of settled)
      for (let op = txnStart[t]; op < txnStart[t + 1]; op++)
        if (opKind[op] === OpKind.Append) this.lists.append(stateKey[opKey[op]], values, opValue[op], numberOf(t));
    for (let i = settled.length - 1; i >= 0; i--) {
      const t = settled[i];
      const line = numberOf(t);
      for (let op = txnStart[t + 1] - 1; op >= txnStart[t]; op--) {
        if (opKind[op] !== OpKind.Write || isSet[opKey[op]] === 1) continue;
        isSet[opKey[op]] = 1;
        this.state.set(stateKey[opKey[op]], values, opValue[op], line);
      }
      this.realTime.passBegin(history, t);
      this.realTime.passCommit(history, t);
    }
  }

  get lines(): number[] {
    const lines: number[] = [];
    this.state.each((_, line) => lines.push(line));
    this.lists.each((_, __, line) => lines.push(line));
    return lines;
  }

  /** Forgets everything except the names of sessions. */
  clear(): void {
    this.state.clear();
    this.lists.clear();
    this.realTime.clear();
  }
}
