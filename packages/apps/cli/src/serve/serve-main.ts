/** Main module of a process that checks the histories of `isolab serve`, one after another. */
import process from 'node:process';
import { CHECKERS, FormatError, check, jsonOf, open } from 'isolab/check';
import { findFormat } from 'isolab/formats';
import { endWithParent } from '../terminal/end-with-parent.ts';
import { toJson } from '../terminal/print.ts';
import { UsageError } from '../terminal/exit.ts';
import { isTimeout, messageOf } from '../terminal/report-error.ts';
import { levelAsked } from '../terminal/words.ts';
import { type Checked, type Request, type Job, TEXT, failure } from './protocol.ts';

const tell = (answer: string | null): void => {
  const checked: Checked = { answer, bytes: process.memoryUsage.rss() };
  process.send!(checked, () => {}); // an error means that the server is gone, which ends this process, too
};
process.on('message', (job: Job) => void answerTo(job).then(tell));
process.on('disconnect', () => process.exit());
endWithParent();
tell(null);

async function answerTo({ request, timeMs, memoryBytes }: Job): Promise<string> {
  const { id = null, path, text, format, level, certify = false, ...asked } = request;
  try {
    insistOnOwn(request);
    const levels = [level].flat().map((word) => (word === 'all' ? word : levelAsked(word).level.name));
    const input = await open(path ?? { text: text!, name: TEXT }, { timeMs, ...(format !== undefined && { format }) });
    const result = await check(input, { ...asked, level: levels, certify, timeMs, memoryBytes, place: 'thread' });
    return toJson({ id, ...jsonOf(result) });
  } catch (error) {
    return failure(request, messageOf(error), {
      ...(isTimeout(error) && { reason: 'timeout' }),
      ...(error instanceof FormatError && { file: error.file, position: error.position, problem: error.problem }),
    });
  }
}

/** A plug-in could forge an answer. */
function insistOnOwn({ checker, format }: Request): void {
  if (checker !== undefined && !CHECKERS.some(({ name }) => name === checker))
    throw new UsageError(`The checker ${checker} is not one of isolab's own; isolab list checkers lists them.`);
  if (format !== undefined && findFormat(format) === null)
    throw new UsageError(`The format ${format} is not one of isolab's own; isolab list formats lists them.`);
}
