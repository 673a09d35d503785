/** A recorder of one file, which an application copies. */
export interface RecorderFile {
  /** Its name for `isolab new recorder`. */
  readonly language: string;
  /** Below recorders/ of this package. */
  readonly file: string;
}

export const RECORDERS: readonly RecorderFile[] = [
  { language: 'node', file: 'node/isolab-recorder.mjs' },
  { language: 'python', file: 'python/isolab_recorder.py' },
  { language: 'go', file: 'go/isolabrecorder.go' },
  { language: 'java', file: 'java/IsolabRecorder.java' },
  { language: 'rust', file: 'rust/isolab_recorder.rs' },
];
