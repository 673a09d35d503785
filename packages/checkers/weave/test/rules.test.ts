import type { LevelName } from '@isolab/contract';
import type { History } from '@isolab/history';
import { h, prepare } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { Choices } from '../src/order/state/choices.ts';
import { modelOf } from '../src/problem/model.ts';
import { Replay } from '../src/order/replay.ts';
import { Known } from '../src/facts/known.ts';
import { TUNING } from '../src/problem/tuning.ts';
import { chainsOf } from '../src/problem/chains.ts';
import { gatherVersions } from '../src/problem/versions.ts';

interface Start {
  /** The guess; that of the history by default. */
  readonly guess?: readonly number[];
  readonly withFacts?: boolean;
}

/** A replay of a small history, which the test drives by hand; transactions are numbered as they are written down. */
function replayOf(given: History, level: LevelName, { guess, withFacts = false }: Start = {}) {
  const { history, index } = prepare(given);
  const model = modelOf(level)!;
  const numTxns = history.txnStatus.length;
  const order = Int32Array.from(guess ?? history.txnStatus.keys());
  const versions = gatherVersions(history, index, order);
  const chains = chainsOf(history, versions.happened, new Uint8Array(numTxns), versions.optional);
  const known = withFacts ? Known.of(versions, chains, order, true, 3, TUNING, () => {}) : null;
  const choices = new Choices(numTxns);
  const replay = new Replay({ history, versions, model, chains, known, order }, choices);
  /** The name of the rule by which an event must wait, and the event that it waits for; null if it may be placed. */
  const whyNot = (event: number): [rule: string, blocker: number] | null => {
    const rule = replay.ruleAgainst(event);
    return rule && [rule.constructor.name, replay.blocker];
  };
  return { replay, choices, versions, whyNot };
}

/** Begin and commit of a transaction, where they are two events. */
const begin = (t: number): number => 2 * t;
const commit = (t: number): number => 2 * t + 1;

describe('an event waits', () => {
  test('an event waits to read until its version is written, again after that is taken back', () => {
    const { replay, whyNot } = replayOf(
      h`w(x,1)
        r(x,1)`,
      'serializable',
    );
    expect(whyNot(1)).toEqual(['ReadFrom', 0]);
    replay.place(0);
    expect(whyNot(1)).toBeNull();
    replay.rewind(0);
    expect(whyNot(1)).toEqual(['ReadFrom', 0]);
  });

  test('an event waits to overwrite a version until all others that read it have', () => {
    const { replay, whyNot } = replayOf(
      h`w(x,1)
        r(x,1)
        r(x,1) w(x,2)`,
      'serializable',
    );
    replay.place(0);
    expect(whyNot(2)).toEqual(['Overwrite', 1]);
    replay.place(1);
    expect(whyNot(2)).toBeNull();
  });

  test('an event waits to commit, where transactions read a snapshot, until the readers of the old version have begun', () => {
    const { replay, whyNot } = replayOf(
      h`r(x,0) w(y,1)
        r(y,0) w(x,1)`,
      'snapshot-isolation',
    );
    expect(whyNot(begin(1))).toBeNull();
    replay.place(begin(1));
    expect(whyNot(commit(1))).toEqual(['Overwrite', begin(0)]);
    replay.place(begin(0));
    expect(whyNot(commit(1))).toBeNull();
  });

  test('an event waits to write until another writer of the key has committed', () => {
    const { replay, whyNot } = replayOf(
      h`w(x,1)
        w(x,2)`,
      'snapshot-isolation',
    );
    replay.place(begin(0));
    expect(whyNot(begin(1))).toEqual(['Lock', commit(0)]);
    replay.place(commit(0));
    expect(whyNot(begin(1))).toBeNull();
    replay.rewind(1);
    expect(whyNot(begin(1))).toEqual(['Lock', commit(0)]);
  });

  test('an event waits for events that had returned before it was called', () => {
    const history = h`w(x,1) @1-2
      w(y,1) @3-4`;
    expect(replayOf(history, 'serializable').whyNot(1)).toBeNull();
    const { replay, whyNot } = replayOf(history, 'strict-serializable');
    expect(whyNot(1)).toEqual(['RealTime', 0]);
    replay.place(0);
    expect(whyNot(1)).toBeNull();
  });

  test('an event waits to append until the preceding elements of a list are there', () => {
    const { replay, whyNot } = replayOf(
      h`a(x,1)
        a(x,2)
        r(x,[1 2])`,
      'serializable',
    );
    expect(whyNot(1)).toEqual(['ListOrder', 0]);
    replay.place(0);
    expect(whyNot(1)).toBeNull();
  });

  test('an event waits for its predecessors by saturation', () => {
    const history = h`w(x,1) w(y,1)
      w(x,2)
      r(y,1) r(x,2)`;
    expect(replayOf(history, 'serializable').whyNot(1)).toBeNull();
    const { replay, whyNot } = replayOf(history, 'serializable', { withFacts: true });
    expect(whyNot(1)).toEqual(['Fact', 0]);
    replay.place(0);
    expect(whyNot(1)).toBeNull();
  });

  test('an event waits for the writer that was chosen to come first', () => {
    const { replay, choices, whyNot } = replayOf(
      h`w(x,1)
        w(x,2)`,
      'serializable',
    );
    const literal = choices.ofOrder(0, 1, 0);
    expect(whyNot(1)).toBeNull();
    replay.assign(literal);
    expect(whyNot(1)).toEqual(['Choice', 0]);
    expect(whyNot(0)).toBeNull();
    replay.rewind(0);
    expect(whyNot(1)).toBeNull();
  });
});

describe('an event waits for one of several candidate writers', () => {
  const history = h`w(x,1)
    w(x,1)
    r(x,1)
    w(x,2)`;

  test('where a read has several candidate writers, an event waits to read until one of them has', () => {
    const { replay, whyNot } = replayOf(history, 'serializable');
    expect(whyNot(2)).toEqual(['OpenRead', 0]);
    replay.place(1);
    expect(whyNot(2)).toBeNull();
    replay.place(3);
    expect(whyNot(2)).toEqual(['OpenRead', 0]);
  });

  test('an event waits to overwrite one of several possible writers until the reads that the guess has next have begun', () => {
    const { replay, whyNot } = replayOf(history, 'serializable', { guess: [0, 2, 1, 3] });
    replay.place(0);
    expect(whyNot(3)).toEqual(['OpenReader', 2]);
    replay.place(2);
    expect(whyNot(3)).toBeNull();
  });

  test('an event waits for no read that the guess has after the next of several possible writers', () => {
    const { replay, whyNot } = replayOf(history, 'serializable', { guess: [0, 1, 2, 3] });
    replay.place(0);
    expect(whyNot(3)).toBeNull();
  });
});

describe('a transaction of unknown outcome', () => {
  test('a transaction of unknown outcome holds up its session only where a read is taken to have seen it', () => {
    const { replay, choices, versions, whyNot } = replayOf(
      h`?w(x,1) | w(y,1)
        w(x,1)
        r(x,1)`,
      'serializable',
    );
    expect(whyNot(1)).toBeNull();
    const read = versions.several!.readStart[3];
    replay.assign(2 * choices.addSeen(read, versions.writeStart[0]));
    expect(whyNot(1)).toEqual(['Session', 0]);
    replay.place(0);
    expect(whyNot(1)).toBeNull();
  });
});
