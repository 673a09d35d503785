import type { LevelName } from '@isolab/contract';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { certificate, check, open, story, viewHtml, writeHistory } from 'isolab';
import type { Proof } from './alarm.ts';
import { judging } from './looks.ts';
import type { Alarm } from './status.ts';

/**
 * Writes the evidence of an alarm: a smallest history, the certificate that it violates the level, and its story. The
 * certificate is of what the file has, where keys may have other numbers.
 */
export async function writeAlarm(
  folder: string,
  level: LevelName,
  { history, result }: Proof,
): Promise<NonNullable<Alarm['files']>> {
  await mkdir(folder, { recursive: true });
  const files = {
    history: join(folder, 'history.jsonl'),
    certificate: join(folder, 'certificate.json'),
    story: join(folder, 'story.html'),
  };
  await writeHistory(history, files.history);
  const written = await open(files.history);
  const proved = await check(written, judging(level));
  await writeFile(files.certificate, `${JSON.stringify(certificate(written, proved))}\n`);
  const told = await story(history, result, { whole: true, commandWords: null });
  if (told !== null) await writeFile(files.story, viewHtml(told));
  return files;
}
