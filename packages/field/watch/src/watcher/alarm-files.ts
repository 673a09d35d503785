import type { LevelName } from '@isolab/contract';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { certificate, check, open, story, viewHtml, writeHistory } from 'isolab';
import type { Proof } from '../engine/alarm.ts';
import { judging } from '../engine/full-checks.ts';
import type { Alarm } from './status.ts';

/**
 * Writes the evidence of an alarm: a minimal history, the certificate that it violates the level, and its story. The
 * certificate refers to the transactions of the file, in which keys may have other numbers.
 */
export async function writeAlarm(
  folder: string,
  level: LevelName,
  { history, result }: Proof,
): Promise<NonNullable<Alarm['files']>> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const files = {
    history: join(folder, 'history.jsonl'),
    certificate: join(folder, 'certificate.json'),
    story: join(folder, 'story.html'),
  };
  await writeHistory(history, files.history);
  await chmod(files.history, 0o600);
  const written = await open(files.history);
  const proved = await check(written, judging(level));
  await writeFile(files.certificate, `${JSON.stringify(certificate(written, proved))}\n`, { mode: 0o600 });
  const told = await story(history, result, { whole: true, commandWords: null });
  if (told !== null) await writeFile(files.story, viewHtml(told), { mode: 0o600 });
  return files;
}
