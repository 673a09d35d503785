import type { BuiltInLevel, LevelName } from './names.ts';

/** Name of the level at which every transaction keeps the level that it states. */
export const STATED = 'stated' as LevelName;

/**
 * Levels that a transaction may state, weakest first; each implies those before it. Each is an axiom about the reader,
 * so it can be required of some transactions alone. The first requires nothing beyond the order of commits.
 */
export const STATABLE = [
  'strong-session-read-committed',
  'read-committed',
  'read-committed-dbcop',
  'read-atomic',
  'causal',
  'prefix',
  'snapshot-isolation',
  'serializable',
] as const satisfies readonly BuiltInLevel[];

export const STATED_TEXT = `# One order of all transactions; each reader sees what the axiom of its own level demands.
level stated
title "Each transaction’s stated level"
summary "Every transaction keeps the level that it states, whatever levels the others state."
paper "Bouajjani, Enea and Román-Calvo, CAV 2025"
implies strong-session-read-committed
co contains so | wr
if t2 seen ; (po \\ same-key) ; [reader read-committed] r then t2 before t1
if t2 seen ; po ; [reader read-committed-dbcop] r then t2 before t1
if t2 (so | wr) ; [level read-atomic] t3 then t2 before t1
if t2 (so | wr)+ ; [level causal] t3 then t2 before t1
if t2 co* ; (so | wr) ; [level prefix] t3 then t2 before t1
if t2 co* ; (so | wr | co & conflict) ; [level snapshot-isolation] t3 then t2 before t1
if t2 co ; [level serializable] t3 then t2 before t1
`;
