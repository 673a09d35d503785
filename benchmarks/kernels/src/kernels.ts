/** Times the kernels in CPU time: `npm run bench kernels [-- NAME … --quick --json]`. */
import process from 'node:process';
import { parseArgs } from 'node:util';
import type { Kernel } from './kernels/kernel.ts';
import { type Absent, type Measurement, measure } from './kernels/measure.ts';

const AREAS = ['formats', 'history', 'graph', 'solver', 'checking'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
});
if (!values.json)
  console.log(line(['CPU time in ms', 'median', 'mean', 'min', 'max', 'deviation', 'margin', 'samples']));
let found = 0;
for (const kernel of await allKernels()) {
  if (positionals.length > 0 && !positionals.some((word) => kernel.name.includes(word))) continue;
  found++;
  const measured = await measure(kernel, values.quick);
  console.log(values.json ? JSON.stringify(measured) : tell(measured));
}
if (found === 0) {
  console.error(`There is no kernel ${positionals.join(' or ')}. Without names, all kernels run.`);
  process.exitCode = 3;
}

/** Collects all kernels. An area whose package is missing, so that it cannot be loaded, is absent. */
async function allKernels(): Promise<Kernel[]> {
  const kernels: Kernel[] = [];
  for (const area of AREAS) {
    try {
      kernels.push(...((await import(`./kernels/${area}.js`)) as { default: readonly Kernel[] }).default);
    } catch (error) {
      kernels.push({ name: area, setUp: () => Promise.reject(error as Error) });
    }
  }
  return kernels;
}

function tell(measured: Measurement | Absent): string {
  if ('reason' in measured) return `${measured.name}: absent, ${measured.reason}`;
  const { name, median, mean, min, max, deviation, marginPercent, samples } = measured;
  const times = [median, mean, min, max, deviation].map((ms) => ms.toFixed(2));
  return line([name, ...times, `± ${marginPercent.toFixed(1)} %`, String(samples)]);
}

function line([name, ...cells]: readonly string[]): string {
  return name!.padEnd(36) + cells.map((cell) => cell.padStart(10)).join('');
}
