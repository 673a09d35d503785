/** A kind of plug-in that `isolab new KIND NAME` begins: one commented file that works, and how to test it at once. */
export interface PluginKind {
  /** What stands behind `isolab new`. */
  readonly name: string;
  /** What the file is, for the help: a workload. */
  readonly title: string;
  /** Its file in the folder template/KIND/; `my-KIND` in it becomes the name. */
  readonly template: string;
  /** Names that come with isolab, which the new file must not have: a word of the command line would mean those. */
  readonly taken: () => Promise<readonly string[]>;
  /** The command lines to go on with, of which the first one tests the file. */
  readonly steps: (file: string, name: string) => readonly string[];
}
