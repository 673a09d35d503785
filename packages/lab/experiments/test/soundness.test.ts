/**
 * Checks that every experiment and every kept result measures the quantity of its figure: points that differ, axes with
 * the quantity of their label, no refused run in place of a time, and matching texts.
 */
import { decideClaims, evaluateClaims } from '@isolab/figures';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { groupsOf } from '../src/measurement/cells.ts';
import { atScale, seriesAt, sourceAt } from '../src/experiment/experiment.ts';
import { type ExperimentFile, SCALES, type Scale, loadExperiments } from '../src/index.ts';
import type { ResultRow } from '../src/measurement/row-shape.ts';
import { latestRows, readRows, resultsFile } from '../src/measurement/rows.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const experiments = loadExperiments(join(root, 'benchmarks'));
const byId = experiments.map((experiment) => [experiment.id, experiment] as const);
const kept = SCALES.filter((scale) => existsSync(resultsFile(join(root, 'reports'), scale)));
const results = new Map(kept.map((scale) => [scale, latestRows(readRows(resultsFile(join(root, 'reports'), scale)))]));

describe.each(byId)('%s', (_, experiment) => {
  test.each(SCALES)('an experiment measures every point of a series on a history of its own, at scale %s', (scale) => {
    const isOne = seriesAt(experiment, scale).map((series) => {
      const sources = experiment.grid[scale].map((x) => JSON.stringify(sourceAt(experiment, series, x, scale, 0)));
      const isConstant = series.constant === true && new Set(sources).size === 1;
      return { series: series.name, isOne: new Set(sources).size < sources.length && !isConstant };
    });
    expect(isOne.filter((one) => one.isOne)).toEqual([]);
    expect(seriesAt(experiment, scale).some(({ constant }) => constant !== true)).toBe(true);
  });

  test.each(SCALES)('an experiment has no cell in two series, at scale %s', (scale) => {
    const cells = groupsOf(experiment, scale, 1).map((group) =>
      group.map(({ series, level, source }) =>
        JSON.stringify([series.checker, series.variant, series.options, series.findAll, level, source]),
      ),
    );
    expect(cells.filter((group) => new Set(group).size < group.length)).toEqual([]);
  });

  test('an experiment has on its axis the quantity of the label', () => {
    const { label, metric } = experiment.y;
    expect(wordsOf(metric).filter((word) => !label.toLowerCase().includes(word))).toEqual([]);
  });

  test('an experiment gives the paper’s values in the unit of its axis', () => {
    if (Object.keys(experiment.published).length === 0) return;
    const { metric } = experiment.y;
    const counts = typeof metric === 'object' || isOfTrials(metric);
    const units = counts ? ['count'] : metric === 'peakRssBytes' ? ['MB'] : ['s', 'ms'];
    expect(units).toContain(experiment.publishedUnit);
  });

  test('an experiment says that values of the paper are drawn only where it has them', () => {
    const { claim, deviations = [], holds, published } = experiment;
    const names = Object.keys(published);
    const ofAny = [claim, ...deviations, ...holds.flatMap(textsOf)].filter(saysPaperIsDrawn);
    const ofGpu = holds
      .filter(({ text }) => text.includes('GPU'))
      .flatMap(textsOf)
      .filter(saysPaperIsDrawn);
    expect(names.length === 0 ? ofAny : []).toEqual([]);
    expect(names.some((name) => name.includes('w/ GPU')) ? [] : ofGpu).toEqual([]);
  });

  test('an experiment speaks of results at a scale only where they are kept', () => {
    const said = experiment.holds
      .flatMap(textsOf)
      .flatMap((text) => /\bscale (ci|laptop|paper)\b/.exec(text)?.[1] ?? []);
    expect(said.filter((scale) => !kept.includes(scale as Scale))).toEqual([]);
  });
});

test('a number of histories that a paper counts stands at one of its figures', () => {
  const counts = experiments.flatMap(({ paper, holds }) =>
    holds.flatMap(({ text }) => (/\d of \d/.test(text) ? [`${paper}: ${text}`] : [])),
  );
  expect(counts.filter((text, i) => counts.indexOf(text) !== i)).toEqual([]);
});

describe.each(kept)('the results that are kept at scale %s', (scale) => {
  const rows = results.get(scale)!;
  const of = (experiment: ExperimentFile): readonly ResultRow[] =>
    rows.filter((row) => row.experiment === experiment.id);

  test('the kept results are of existing experiments, series and points', () => {
    const cells = new Set(
      experiments.flatMap((experiment) =>
        groupsOf(experiment, scale, 1)
          .flat()
          .map(({ series, x, repeat }) => JSON.stringify([experiment.id, series.name, x, repeat])),
      ),
    );
    const strays = rows.filter(
      ({ experiment, series, x, repeat }) => !cells.has(JSON.stringify([experiment, series, x, repeat])),
    );
    expect(strays.map(({ experiment, series, x }) => `${experiment}, ${series}, ${x}`)).toEqual([]);
  });

  test('the kept results have one history for one point only, unless the series is constant', () => {
    const shared = experiments.flatMap((experiment) =>
      seriesAt(experiment, scale).flatMap((series) => {
        const own = of(experiment).filter((row) => row.series === series.name && row.history.id !== '');
        const xs = (id: string): number => new Set(own.filter((row) => row.history.id === id).map(({ x }) => x)).size;
        const isShared = series.constant !== true && own.some(({ history }) => xs(history.id) > 1);
        return isShared ? [`${experiment.id}, ${series.name}`] : [];
      }),
    );
    expect(shared).toEqual([]);
  });

  test('the kept results have the counter of their axis', () => {
    const without = experiments.filter((experiment) => {
      const { metric } = experiment.y;
      if (typeof metric !== 'object') return false;
      return of(experiment).some(
        ({ verdict, counters }) => verdict !== 'unknown' && verdict !== 'skipped' && !(metric.counter in counters),
      );
    });
    expect(without.map(({ id }) => id)).toEqual([]);
  });

  test('the kept results decide claims by runs that ended or used up their limits, not by refused ones', () => {
    const isRefused = (
      { checker, verdict, reason, peakRssBytes }: ResultRow,
      { limits, y }: ExperimentFile,
    ): boolean => {
      if (verdict !== 'unknown') return verdict === 'skipped';
      // Elle has then examined the whole history.
      const isTrial = (isOfTrials(y.metric) || checker === 'elle') && reason?.startsWith('incomplete') === true;
      return (
        !/^timeout( at |$)/.test(reason ?? '') && !isTrial && (peakRssBytes ?? 0) < (limits[scale].megabytes * 1e6) / 2
      );
    };
    const leaning = experiments.flatMap((experiment) => {
      const at = atScale(experiment, scale);
      const without = evaluateClaims(
        at,
        of(experiment).filter((row) => !isRefused(row, experiment)),
      );
      return evaluateClaims(at, of(experiment)).flatMap(({ claim, outcome }, i) =>
        outcome === 'holds' && without[i]!.outcome !== 'holds' && claim.kind !== 'misses'
          ? [`${experiment.id}: ${claim.text}`]
          : [],
      );
    });
    expect(leaning).toEqual([]);
  });

  test('the kept results leave no run out but after one of its series on an easier history, or another of that point, was out of time', () => {
    const unfounded = experiments.flatMap((experiment) => {
      const all = of(experiment);
      return all.flatMap(({ series, x, reason }) => {
        const at = /^timeout at (.*)$/.exec(reason ?? '')?.[1];
        const isAsHard = (row: ResultRow): boolean => row.x === x || (experiment.x.grows === true && row.x < x);
        const isFounded = (row: ResultRow): boolean =>
          row.series === series && String(row.x) === at && isAsHard(row) && row.reason === 'timeout';
        return at === undefined || all.some(isFounded) ? [] : [`${experiment.id}: ${series} at ${x}`];
      });
    });
    expect(unfounded).toEqual([]);
  });

  test('the kept results decide no comparison by times that are too short to be measured', () => {
    const short = experiments.flatMap((experiment) => {
      if (experiment.y.metric !== 'wallMs') return [];
      const decided = evaluateClaims(atScale(experiment, scale), of(experiment)).filter(
        ({ claim, outcome }) => claim.kind === 'growth' && outcome === 'holds',
      );
      return decided.flatMap(({ claim }) => {
        const times = of(experiment).filter((row) => 'series' in claim && row.series === claim.series);
        return times.every(({ wallMs }) => (wallMs ?? 0) < 2) ? [`${experiment.id}: ${claim.text}`] : [];
      });
    });
    expect(short).toEqual([]);
  });
});

test('a claim of the five papers that does not hold has a note on the reason', () => {
  const reasonless = experiments
    .filter(({ paper }) => ['polysi', 'viper', 'mtc', 'dbcop', 'plume'].includes(paper))
    .flatMap((experiment) => {
      const rows = (scale: Scale): ResultRow[] =>
        (results.get(scale) ?? []).filter((row) => row.experiment === experiment.id);
      const measured = kept
        .toReversed()
        .map((scale) => ({ experiment: atScale(experiment, scale), rows: rows(scale) }));
      return decideClaims(measured).filter(
        ({ claim, outcome }) =>
          claim.origin === 'paper' && (outcome === 'fails' || outcome === 'direction only') && claim.note === undefined,
      );
    });
  expect(reasonless.map(({ claim, detail }) => `${claim.text} ${detail}`)).toEqual([]);
});

const isOfTrials = (metric: ExperimentFile['y']['metric']): boolean =>
  metric === 'found' || metric === 'foundIn30Minutes';

/** Words that a label needs for a quantity: the words of a counter's name, or the quantity and its unit. */
function wordsOf(metric: ExperimentFile['y']['metric']): string[] {
  if (typeof metric === 'object')
    return metric.counter
      .replace(/^history\./, '')
      .split(/(?=[A-Z])|[ .]/)
      .map((word) => (word === 'Percent' ? '(%)' : word.toLowerCase()));
  if (metric === 'peakRssBytes') return ['memory', '(mb)'];
  if (isOfTrials(metric)) return metric === 'found' ? ['found', '(%)'] : ['found', '30 minutes'];
  return ['time', '(s)'];
}

const saysPaperIsDrawn = (text: string): boolean => /paper.*\bdrawn\b/i.test(text);

const textsOf = (claim: ExperimentFile['holds'][number]): string[] => [
  claim.text,
  ...('why' in claim ? [claim.why] : []),
  ...(claim.note === undefined ? [] : [claim.note]),
];
