/**
 * Pairs of changes that no execution has together, because one of them leaves out the transaction or the version that
 * the other one needs. It needs a history whose sources and sessions agree with a serial order.
 */
import { type Change, type Effect, type Setting, effectOf } from './execution.ts';
import { INITIAL, lastWrite } from './model.ts';

export class Exclusions {
  readonly #setting: Setting;
  readonly #changes: readonly Change[];
  /** Effects that were needed so far. */
  readonly #effects: Effect[] = [];

  constructor(setting: Setting, changes: readonly Change[]) {
    this.#setting = setting;
    this.#changes = changes;
  }

  #effectOf(i: number): Effect {
    return (this.#effects[i] ??= effectOf(this.#setting, this.#changes[i]!));
  }

  /** Returns whether a change ends its transaction earlier. */
  cuts(i: number): boolean {
    const { start, txn } = this.#setting.model;
    return this.#effectOf(i).end < start[txn[this.#changes[i]!.read] + 1];
  }

  exclude(i: number, j: number): boolean {
    return this.#leavesOut(i, j) || this.#leavesOut(j, i);
  }

  /** Returns whether a change leaves out a transaction or a version that another change needs. */
  #leavesOut(i: number, j: number): boolean {
    const { model } = this.#setting;
    const { read, writer } = this.#changes[j]!;
    const t = model.txn[this.#changes[i]!.read];
    const other = model.txn[read];
    // The other change may cut the transaction before the version, so that this change has another effect.
    if (other === this.#changes[i]!.writer) return false;
    const { end, isIn } = this.#effectOf(i);
    if (t === writer && lastWrite(model, t, model.key[read], end) < 0) return true;
    if (other === t && read >= end) return true;
    if (isIn(other)) return writer !== INITIAL && !isIn(writer);
    return this.#isLeftOutBySession(i, other) || this.#isLeftOutByRead(i, j);
  }

  #isLeftOutBySession(i: number, other: number): boolean {
    const { model, boundary } = this.#setting;
    const t = model.txn[this.#changes[i]!.read];
    const { end, divergence, isIn } = this.#effectOf(i);
    const stops = divergence < Infinity && (boundary !== 'data-flow' || end < model.start[t + 1]);
    for (let u = other - 1; u >= 0 && model.session[u] === model.session[other]; u--)
      if (!isIn(u) || (u === t && stops)) return true;
    return false;
  }

  /** Returns whether a transaction has a further read, before its cut, of a version that is left out or unknown. */
  #isLeftOutByRead(i: number, j: number): boolean {
    const { start, txn, source } = this.#setting.model;
    const { read } = this.#changes[j]!;
    const t = txn[this.#changes[i]!.read];
    const { divergence, isIn } = this.#effectOf(i);
    for (let op = start[txn[read]]; op < this.#effectOf(j).end; op++) {
      if (op === read || source[op] < 0) continue;
      const from = txn[source[op]];
      if (from === t ? source[op] > divergence : !isIn(from)) return true;
    }
    return false;
  }
}
