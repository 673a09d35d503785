export { type NewDataset, addDataset, manifestText } from './add-dataset.ts';
export { type BenchEvent, type BenchOptions, type BenchSummary, bench, countCells } from './bench.ts';
export { Datasets, type DatasetPlaces, type Located, type Missing, rawUrl } from './datasets.ts';
export { type Differences, diffResults } from './diff.ts';
export { BenchError } from './errors.ts';
export {
  type ExperimentFile,
  type GeneratedSource,
  type PerScale,
  type Point,
  SCALES,
  type Scale,
  type Series,
  type Source,
  atScale,
  seriesAt,
} from './experiment.ts';
export { chooseExperiments, loadExperiment, loadExperiments } from './load.ts';
export { type Dataset, type Expected, type Manifest, chooseDatasets, readManifest } from './manifest.ts';
export { type ReportsOptions, writeReports } from './report.ts';
export type { QueueOptions, Timings } from './queue/settings.ts';
export { type BenchWorkerOptions, benchWorker } from './queue/worker.ts';
export { latestRows, placeOf, readRows, resultsFile } from './rows.ts';
export type { Limits } from './run-cell.ts';
export type { Problem } from './session.ts';
export { type Tool, type Tools, readTools } from './tools.ts';
