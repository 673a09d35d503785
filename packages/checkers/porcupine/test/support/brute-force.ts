/** Single operations on one key, and whether some order of them explains their results; tries all orders. */
export interface Call {
  readonly session: number;
  readonly kind: 'read' | 'write' | 'cas' | 'append';
  /** Value that a read found, or a compare-and-set expected; null for nothing. */
  readonly found: string | null;
  readonly written: string;
  readonly begin: number;
  readonly end: number;
  readonly outcome: 'ok' | 'failed' | 'unknown';
}

export function isLinearizable(calls: readonly Call[], initial: string | null): boolean {
  const mayBeNext = (call: Call, left: readonly Call[]): boolean =>
    left.every(
      (other) =>
        other === call ||
        (!(other.outcome !== 'unknown' && other.end < call.begin) &&
          !(other.outcome !== 'unknown' && isEarlierInSession(other, call))),
    );
  const isEarlierInSession = (a: Call, b: Call): boolean =>
    a.session === b.session && calls.indexOf(a) < calls.indexOf(b);
  const run = (left: readonly Call[], state: string | null): boolean => {
    if (left.every(({ outcome }) => outcome === 'unknown')) return true;
    return left.some((call) => {
      if (!mayBeNext(call, left)) return false;
      const next = step(call, state);
      // An earlier operation of unknown outcome in the session did not take place if this one does.
      return (
        next !== undefined &&
        run(
          left.filter((other) => other !== call && !isEarlierInSession(other, call)),
          next,
        )
      );
    });
  };
  return run(calls, initial);
}

/** The state that follows; undefined where the call cannot take place. */
function step({ kind, found, written, outcome }: Call, state: string | null): string | null | undefined {
  switch (kind) {
    case 'read':
      return outcome === 'unknown' || found === state ? state : undefined;
    case 'write':
      return written;
    case 'append':
      return (state ?? '') + written;
    case 'cas':
      if (outcome === 'failed') return found === state ? undefined : state;
      if (outcome === 'unknown') return found === state ? written : state;
      return found === state ? written : undefined;
  }
}
