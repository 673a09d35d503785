import type { History } from '@isolab/history';
import { refuse } from './flaw.ts';
import { type EventOrder, forNeighbours, nameEvent, readEventOrder } from './orders.ts';
import { verifyRealTimeOfEvents } from './real-time.ts';
import { replaySnapshots } from './replay.ts';
import type { Rules } from './rules.ts';

/** Refuses unless these begins (2t) and commits (2t + 1), in this order, satisfy the level. */
export function verifyEventOrder(history: History, rules: Rules, data: unknown): void {
  const order = readEventOrder(history, data);
  if (rules.sessions) verifySessions(history, order);
  replaySnapshots(history, order.events, rules.axiom === 'snapshot');
  if (rules.realTime !== 'none') verifyRealTimeOfEvents(history, rules.realTime, order.events);
}

function verifySessions(history: History, { position }: EventOrder): void {
  forNeighbours(
    history,
    (t) => position[2 * t] >= 0,
    (before, after) => {
      const [commit, begin] = [2 * before + 1, 2 * after];
      if (position[begin] < position[commit])
        refuse(`the order puts ${nameEvent(begin)} before ${nameEvent(commit)}, which is earlier in its session`);
    },
  );
}
