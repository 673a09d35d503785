import { driverFor, isolationNamed } from '@isolab/collector';
import { ENGINES, nameOf } from '@isolab/engines';
import { findLevel } from '@isolab/contract';
import { findFormat } from '@isolab/formats';
import { type CheckerRef, resolveOptions } from '@isolab/runner';
import { loadChecker } from 'isolab/check';
import { DRAWINGS, isSimulated } from '@isolab/hunt';
import { FAULTS, findWorkload, resolveParameters } from '@isolab/workloads';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { beginsWith } from '../src/experiment/dataset-source.ts';
import { groupsOf } from '../src/measurement/cells.ts';
import { PREDICT, isBoundary } from '../src/measurement/measure-prediction.ts';
import { resolveSource } from '../src/experiment/experiment.ts';
import { simulatedLevel } from '../src/datasets/generate.ts';
import {
  type ExperimentFile,
  SCALES,
  chooseExperiments,
  loadExperiments,
  readManifest,
  readTools,
} from '../src/index.ts';
import { listFile, readArchives } from '../src/datasets/catalogue.ts';
import { HUNT } from '../src/experiment/hunted-source.ts';
import { TOOL_PREFIX } from '../src/experiment/tools.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8')) as unknown;
const schema = (name: string) =>
  new Ajv2020({ strict: true, strictTypes: false, strictRequired: false }).compile(
    read(join(root, 'packages/lab/experiments/schema', `${name}.schema.json`)) as object,
  );
const experiments = loadExperiments(join(root, 'benchmarks'));
const manifest = readManifest(join(root, 'datasets'));
const tools = readTools([join(root, 'benchmarks', 'tools.json')], 'isolab.cjs');
const engines = ENGINES.map(nameOf);
const embedded = await driverFor('embedded');
const datasets = new Set(manifest.datasets.map(({ id }) => id));
const checkers = new Map<string, CheckerRef>();
for (const name of new Set(experiments.flatMap(({ series }) => series.map(({ checker }) => checker))))
  if (!name.startsWith(TOOL_PREFIX) && name !== HUNT && name !== PREDICT) checkers.set(name, await loadChecker(name));

/** A table of real histories has one of simulated faults beside it. */
const withFaults = (table: string): string[] => [table, `${table}-faults`];

test('every paper that measures something has its experiments', () => {
  const papers = new Set(experiments.map(({ paper }) => paper));
  expect(papers).toEqual(
    new Set([
      'chronos',
      'cobra',
      'cobrasat',
      'dbcop',
      'hunt',
      'mtc',
      'plume',
      'polysi',
      'predict',
      'real',
      'veristrong',
      'viper',
      'weave',
    ]),
  );
  const figures = (paper: string): string[] =>
    [
      ...new Set(
        experiments.filter((each) => each.paper === paper).map(({ figure }) => figure.replace(/(?<=\d)[a-f]\d?$/, '')),
      ),
    ].toSorted();
  expect(figures('polysi')).toEqual([
    'fig10',
    'fig11',
    'fig15',
    'fig6',
    'fig7',
    'fig8',
    'fig9',
    ...withFaults('tab2'),
    'tab3',
  ]);
  expect(figures('viper')).toEqual(['be19', 'fig10', 'fig11', 'fig12', 'fig13', 'fig14', 'fig15', 'fig8', 'fig9']);
  expect(figures('mtc')).toEqual(['fig10', 'fig11', 'fig13', 'fig14', 'fig17', 'fig7', 'fig8', 'fig9', 'tab2']);
  expect(figures('dbcop')).toEqual([
    'fig14',
    'fig15',
    'sat-files-sessions',
    'sat-files-transactions',
    ...withFaults('tab2'),
    'tab2-galera',
  ]);
  expect(figures('plume')).toEqual([
    'fig10',
    'fig11',
    'fig12',
    'fig13',
    'fig8',
    'fig9',
    ...withFaults('tab3'),
    ...withFaults('tab4'),
    'tab5',
  ]);
});

describe('the files of experiments', () => {
  const validate = schema('experiment');
  const files = readdirSync(join(root, 'benchmarks'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^(?!kernels)[\w-]+\/[\w-]+\.json$/.test(name),
  );

  test.each(files)('%s is as the schema says', (name) => {
    validate(read(join(root, 'benchmarks', name)));
    expect(validate.errors).toBeNull();
  });

  test('the schema refuses a misspelt field', () => {
    expect(validate({ ...(read(join(root, 'benchmarks', files[0]!)) as object), chart: 'pie' })).toBe(false);
    expect(validate({ ...(read(join(root, 'benchmarks', files[0]!)) as object), grids: {} })).toBe(false);
  });
});

test('a claim of an experiment is the paper’s only where it says so', () => {
  const folder = mkdtempSync(join(tmpdir(), 'isolab-experiments-'));
  try {
    const loaded = (origin: object): ExperimentFile => {
      const holds = [{ text: 'It ends.', kind: 'finishes', series: 'all', at: 'all', ...origin }];
      mkdirSync(join(folder, 'p'), { recursive: true });
      writeFileSync(join(folder, 'p', 'f.json'), JSON.stringify({ ...experiments[0]!, id: 'p/f', holds }));
      return loadExperiments(folder)[0]!;
    };
    expect(loaded({}).holds[0]!.origin).toBe('sanity');
    expect(loaded({ origin: 'paper' }).holds[0]!.origin).toBe('paper');
    expect(() => loaded({ origin: 'me' })).toThrow('a claim has the origin me, expected paper or sanity.');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a series may have the history of another one, and of no other', () => {
  const folder = mkdtempSync(join(tmpdir(), 'isolab-experiments-'));
  try {
    const loaded = (series: readonly object[]): ExperimentFile => {
      mkdirSync(join(folder, 'p'), { recursive: true });
      writeFileSync(join(folder, 'p', 'f.json'), JSON.stringify({ ...experiments[0]!, id: 'p/f', series }));
      return loadExperiments(folder)[0]!;
    };
    const one = { name: 'one', checker: 'weave', history: { dataset: 'd/$x' }, constant: true };
    const other = { name: 'other', checker: 'tool:polysi', historyOf: 'one' };
    expect(loaded([one, other]).series[1]).toEqual({ ...one, name: 'other', checker: 'tool:polysi' });
    const plain = { name: 'plain', checker: 'weave' };
    expect(loaded([plain, { ...other, historyOf: 'plain' }]).series[1]).not.toHaveProperty('history');
    expect(() => loaded([one, { ...other, historyOf: 'none' }])).toThrow('historyOf of other is none, expected');
    expect(() => loaded([one, { ...other, history: {} }])).toThrow('other has both history and historyOf');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe.each(experiments.map((experiment) => [experiment.id, experiment] as const))('%s', (_, experiment) => {
  test('an experiment names checkers, variants, options and levels that there are', () => {
    for (const { checker: name, variant, options, level = experiment.level, levels = [level] } of experiment.series) {
      expect(levels.at(-1)).toBe(level);
      for (const each of levels) expect(findLevel(each)?.level.name).toBe(each);
      if (name.startsWith(TOOL_PREFIX)) {
        expect(tools[name.slice(TOOL_PREFIX.length)]!.levels).toHaveProperty(level);
        continue;
      }
      if (name === HUNT) {
        expect(DRAWINGS).toContain(variant);
        continue;
      }
      if (name === PREDICT) {
        expect(isBoundary(variant)).toBe(true);
        continue;
      }
      const { checker } = checkers.get(name)!;
      expect(checker.info.levels).toContain(level);
      resolveOptions(checker, { ...(variant !== undefined && { variant }), ...(options && { options }) });
    }
  });

  test('an experiment makes histories at every point of every scale', () => {
    for (const scale of SCALES) {
      for (const { source } of groupsOf(experiment, scale, 1).flat()) {
        if (source.kind === 'dataset') expect(datasets).toContain(source.id);
        if (source.kind === 'datasets')
          expect(source.prefixes.filter((prefix) => ![...datasets].some(beginsWith([prefix])))).toEqual([]);
        if (source.kind === 'hunted' && !isSimulated(source.database))
          expect(engines).toContain(source.database.split('?', 1)[0]);
        if (source.kind !== 'simulated' && source.kind !== 'collected') continue;
        const workload = findWorkload(source.workload);
        expect(workload?.name).toBe(source.workload);
        resolveParameters(workload!, source.set);
        if (source.kind === 'collected') {
          expect(engines).toContain(source.database.split('?', 1)[0]);
          isolationNamed(embedded, source.isolation);
          continue;
        }
        simulatedLevel(source.level);
        for (const fault of Object.keys(source.faults)) expect(FAULTS).toHaveProperty(fault);
      }
    }
  });

  test('an experiment has real times where its level speaks of them, and no comparison where weave’s guess would profit', () => {
    const compared = new Set(experiment.series.map(({ checker, variant }) => JSON.stringify([checker, variant])));
    const wrong = SCALES.flatMap((scale) => groupsOf(experiment, scale, 1).flat()).filter(
      ({ level, source }) =>
        source.kind === 'simulated' && source.times !== OF_REAL_TIME.has(level) && (compared.size > 1 || !source.times),
    );
    expect(wrong).toEqual([]);
  });

  test('a claim of the five papers has its place in the paper and the paper’s words', () => {
    const isOfFive = ['polysi', 'viper', 'mtc', 'dbcop', 'plume'].includes(experiment.paper);
    const claims = isOfFive ? experiment.holds.filter(({ origin }) => origin === 'paper') : [];
    expect(claims.filter(({ where, says }) => where === undefined || says === undefined)).toEqual([]);
  });

  test('an experiment claims something of series and points that it has', () => {
    const names = new Set<unknown>(experiment.series.map(({ name }) => name));
    const points = new Set<unknown>(SCALES.flatMap((scale) => experiment.grid[scale]));
    const published = new Set(Object.keys(experiment.published).map((name) => `${name} (paper)`));
    const unknown = experiment.holds.flatMap((claim) => [
      ...('series' in claim && claim.series !== 'all' && !names.has(claim.series) ? [claim.series] : []),
      ...('than' in claim && !names.has(claim.than) && !published.has(claim.than) ? [claim.than] : []),
      ...('at' in claim && claim.at !== undefined ? pointsOf(claim.at).filter((x) => !points.has(x)) : []),
      ...(claim.kind === 'counter' ? [claim.x].flat().filter((x) => !points.has(x)) : []),
    ]);
    expect(unknown).toEqual([]);
  });

  test('a claim as in the paper’s figure asks the points where the figure shows it', () => {
    const { published, holds, x: axis } = experiment;
    const wrong = holds.flatMap((claim) => {
      if (claim.kind !== 'faster' || claim.factor !== 'figure') return [];
      const [one = {}, other = {}] = [claim.series, claim.than].map(
        (name) => published[name.replace(/ \(published program\)$/, '')],
      );
      // A run of the paper that was stopped took longer than any that ended.
      const ratioAt = (x: string): number => (one[x] === null ? 1 : (other[x] ?? Infinity) / one[x]!);
      const shared = Object.keys(one).filter((x) => x in other);
      const asked = shared.filter((x) => isAsked(claim.at, x));
      const isOpposite = asked.length > 0 && asked.every((x) => ratioAt(x) < 1);
      const left = shared.filter((x) => !asked.includes(x) && ratioAt(x) > 1.25);
      return [
        ...(isOpposite ? [`${claim.text} The figure has the opposite order.`] : []),
        ...(axis.scale !== 'category' && left.length > 0 ? [`${claim.text} It leaves out ${left.join(', ')}.`] : []),
      ];
    });
    expect(wrong).toEqual([]);
  });

  test('an experiment places the paper’s values at points of the paper’s grid', () => {
    const points = experiment.grid.paper.map(String);
    for (const values of Object.values(experiment.published))
      expect(Object.keys(values).filter((x) => !points.includes(x) && !isBeside(experiment, x))).toEqual([]);
  });
});

const OF_REAL_TIME = new Set([
  'generalized-snapshot-isolation',
  'strong-session-snapshot-isolation',
  'strong-snapshot-isolation',
  'strict-serializable',
]);

type At = string | number | readonly (string | number)[];

/** The points that a claim names. */
function pointsOf(at: At): readonly (string | number)[] {
  if (typeof at === 'object') return at;
  return at === 'all' || at === 'last' ? [] : [at];
}

/** Returns whether a comparison is made at a point of the paper. */
function isAsked(at: At, x: string): boolean {
  return at === 'all' || [at].flat().map(String).includes(x);
}

/** Sizes that our grid leaves out, such as those that are no multiple of the number of clients. */
const isBeside = ({ grid }: ExperimentFile, x: string): boolean =>
  Number(x) > Number(grid.laptop[0]) && Number(x) <= Number(grid.paper.at(-1));

test('the manifest is as its schema says, without an id twice', () => {
  const validate = schema('manifest');
  validate(read(join(root, 'datasets', 'manifest.json')));
  expect(validate.errors).toBeNull();
  expect(datasets.size).toBe(manifest.datasets.length);
  for (const { format, expected, source, id } of manifest.datasets) {
    expect(findFormat(format)?.name).toBe(format);
    for (const { level } of expected) expect(findLevel(level)?.level.name).toBe(level);
    if (source.kind === 'generated') resolveSource(source.recipe, 0, 'ci', 0, id);
  }
});

test('the archives are as their schema says, and each has a list', () => {
  const validate = schema('archives');
  validate(read(join(root, 'datasets', 'archives.json')));
  expect(validate.errors).toBeNull();
  const lists = readArchives(join(root, 'datasets')).map((archive) => basename(listFile('', archive)));
  expect(readdirSync(join(root, 'datasets', 'archives')).toSorted()).toEqual(lists.toSorted());
});

test('the outside tools are as their schema says, in formats that isolab writes', () => {
  const validate = schema('tools');
  validate(read(join(root, 'benchmarks', 'tools.json')));
  expect(validate.errors).toBeNull();
  for (const { format, levels } of Object.values(tools)) {
    expect(findFormat(format)).toHaveProperty('writer');
    for (const level of Object.keys(levels)) expect(findLevel(level)?.level.name).toBe(level);
  }
});

test('experiments are chosen by id, by paper, or all', () => {
  expect(chooseExperiments(experiments, ['polysi/fig6a']).map(({ id }) => id)).toEqual(['polysi/fig6a']);
  expect(new Set(chooseExperiments(experiments, ['viper']).map(({ paper }) => paper))).toEqual(new Set(['viper']));
  expect(chooseExperiments(experiments, ['all'])).toHaveLength(experiments.length);
  expect(() => chooseExperiments(experiments, ['polysi/fig99'])).toThrow('There is no experiment polysi/fig99');
});
