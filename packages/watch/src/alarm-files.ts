import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { certificate, story, viewHtml, writeHistory } from 'isolab';
import type { Proof } from './alarm.ts';
import type { Alarm } from './status.ts';

/** Writes the evidence of an alarm: a smallest history, the certificate that it violates the level, and its story. */
export async function writeAlarm(folder: string, { history, result }: Proof): Promise<NonNullable<Alarm['files']>> {
  await mkdir(folder, { recursive: true });
  const files = {
    history: join(folder, 'history.jsonl'),
    certificate: join(folder, 'certificate.json'),
    story: join(folder, 'story.html'),
  };
  await writeHistory(history, files.history);
  await writeFile(files.certificate, `${JSON.stringify(certificate(history, result))}\n`);
  const told = await story(history, result, { whole: true, commandWords: null });
  if (told !== null) await writeFile(files.story, viewHtml(told));
  return files;
}
