import type { Engine, Isolation, Violation } from '../engine/engine.ts';
import { throughProgram } from './driver-program.ts';

const release = (
  name: string,
  version: string,
  feature: string,
  isolations: readonly Isolation[],
  documentation: string,
  more: Partial<Engine> = {},
): Engine =>
  throughProgram({
    name,
    version,
    title: name,
    isolations,
    origin: { kind: 'rust', feature },
    needs: ['cargo'],
    documentation,
    ...more,
  });

const SNAPSHOT: Isolation = { name: 'snapshot', claims: 'snapshot-isolation' };
const SERIALIZABLE: Isolation = { name: 'serializable', claims: 'serializable' };

const STRICT: Isolation = { name: 'serializable', claims: 'strict-serializable' };

const LOCKED_READS: Isolation = {
  name: 'locked reads',
  claims: 'serializable',
  warning:
    'Every read is get_for_update: according to surrealkv, the commit fails if the key was written since. isolab checks serializability.',
};

const LOST_UPDATE: Violation = {
  level: 'snapshot-isolation',
  what: 'lost updates: the number of a commit becomes visible before its writes',
  link: null,
};

/** programs/rust/Cargo.lock determines their versions. */
export const RUST: readonly Engine[] = [
  release('surrealkv', '0.9.3', 'surrealkv-0_9', [SNAPSHOT, SERIALIZABLE], 'https://docs.rs/crate/surrealkv/0.9.3', {
    violations: [LOST_UPDATE],
  }),
  release('surrealkv', '1.2.0', 'surrealkv-1', [SNAPSHOT, LOCKED_READS], 'https://docs.rs/crate/surrealkv/1.2.0'),
  release('fjall', '2.11.2', 'fjall-2', [SERIALIZABLE], 'https://docs.rs/crate/fjall/2.11.2'),
  release('fjall', '3.1.13', 'fjall-3', [SERIALIZABLE], 'https://docs.rs/crate/fjall/3.1.13'),
  release(
    'slatedb',
    '0.18.0',
    'slatedb',
    [SNAPSHOT, SERIALIZABLE],
    'https://docs.rs/slatedb/0.18.0/slatedb/enum.IsolationLevel.html',
  ),
  release('redb', '4.6.0', 'redb', [SERIALIZABLE], 'https://github.com/cberner/redb/blob/v4.6.0/docs/design.md'),
  release('skipdb', '0.2.1', 'skipdb', [SERIALIZABLE], 'https://docs.rs/crate/skipdb/0.2.1'),
  release('canopydb', '0.2.5', 'canopydb', [SNAPSHOT, SERIALIZABLE], 'https://docs.rs/crate/canopydb/0.2.5'),
  // "Strict serializability for update transactions", and isolab's transactions are such
  release('surrealmx', '1.1.0', 'surrealmx', [STRICT], 'https://docs.rs/crate/surrealmx/1.1.0'),
];
