/** A recorder in one file, which an application copies. */
export interface RecorderFile {
  /** The language as `isolab new recorder` names it. */
  readonly language: string;
  /** Path relative to recorders/ of this package. */
  readonly file: string;
}

export const RECORDERS: readonly RecorderFile[] = [
  { language: 'node', file: 'node/isolab-recorder.mjs' },
  { language: 'python', file: 'python/isolab_recorder.py' },
  { language: 'go', file: 'go/isolabrecorder.go' },
  { language: 'java', file: 'java/IsolabRecorder.java' },
  { language: 'rust', file: 'rust/isolab_recorder.rs' },
];
