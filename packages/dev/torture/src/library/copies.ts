import type { LevelName } from '@isolab/contract';
import {
  HISTORY_FORMATS,
  type HistoryFormat,
  type LossName,
  directoryOfBytes,
  inputOfBytes,
  outputToMemory,
  readDocumentFrom,
} from '@isolab/formats';
import type { History } from '@isolab/history';
import { levelsSatisfied } from '@isolab/oracle';
import { printHistory } from '@isolab/testkit';
import type { Random } from '@isolab/workloads';

/**
 * Finds a problem with a copy in a randomly drawn format, if that format claims to keep all facts that a level depends
 * on: by the oracle, the copy must satisfy the same levels.
 */
export async function problemOfCopy(
  history: History,
  levels: readonly LevelName[],
  random: Random,
): Promise<string | null> {
  const format = random.pick(HISTORY_FORMATS);
  const writer = await format.writer?.();
  if (writer === undefined || writer.losses(history).some(({ name }) => !NO_LEVEL_ASKS.includes(name))) return null;
  const files = new Map<string, Uint8Array>();
  await writer.write(history, outputToMemory(files));
  const document = await readDocumentFrom(inputOf(format, files), { format });
  if (document.kind === 'polygraph') return `${format.name} turned it into a polygraph`;
  const [here, there] = [history, document.history].map((one) => levelsSatisfied(one, levels).join(', '));
  if (here === there) return null;
  return `it satisfies ${here || 'none'}, and ${there || 'none'} as ${format.name}:\n${printHistory(document.history)}`;
}

const inputOf = ({ layout }: HistoryFormat, files: ReadonlyMap<string, Uint8Array>) =>
  layout === 'directory'
    ? directoryOfBytes('copy', Object.fromEntries(files))
    : inputOfBytes('copy', files.values().next().value!);

const NO_LEVEL_ASKS: readonly LossName[] = [
  'session-names',
  'transaction-names',
  'key-names',
  'value-names',
  'empty-sessions',
  'database-name',
  'timestamps',
  'versions',
  'transaction-order',
];
