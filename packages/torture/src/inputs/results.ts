import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BenchError, diffResults, latestRows, readRows } from '@isolab/experiments';
import { type Sample, textSample } from './samples.ts';

/** Some of the rows that this repository has. */
export function resultSamples(): Sample[] {
  const path = fileURLToPath(new URL('../../../../reports/results/ci.jsonl', import.meta.url));
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, 40);
  return Array.from({ length: 10 }, (_, i) =>
    textSample('results', `lines from ${4 * i + 1}`, `${lines.slice(4 * i, 4 * i + 4).join('\n')}\n`),
  );
}

/** Reads damaged results from a file, as commands do. */
export class ResultsJudge {
  readonly #folder = mkdtempSync(join(tmpdir(), 'isolab-results-'));
  readonly #path = join(this.#folder, 'results.jsonl');

  /** What is wrong with how results are read; null if they are refused, or read whole. */
  judge(bytes: Uint8Array): string | null {
    writeFileSync(this.#path, bytes);
    try {
      const rows = readRows(this.#path);
      diffResults(rows, rows, 0.25);
      const lines = Buffer.from(bytes).toString().split('\n');
      // The last line may have been cut off.
      const whole = lines.filter((line, i) => line.trim() !== '' && (i < lines.length - 1 || isJson(line)));
      if (rows.length !== whole.length) return `of ${whole.length} rows ${rows.length} were read`;
      return latestRows(rows).length <= rows.length ? null : 'there are more rows than were read';
    } catch (error) {
      if (error instanceof BenchError) return null;
      throw error;
    }
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
