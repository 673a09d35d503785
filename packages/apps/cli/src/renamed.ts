/** Old spellings of the command line, which are accepted until the release after this one. */

/** First version without the old spellings. */
export const LAST_VERSION = '0.4';

/** Current commands by the old words at the beginning of a line. */
export const OLD_COMMANDS: Readonly<Record<string, string>> = {
  'bench-diff': 'bench diff',
  'bench-worker': 'bench worker',
  'bench --list': 'list experiments',
  report: 'bench report',
  'datasets list': 'list datasets',
  datasets: 'bench datasets',
  'engines list': 'list engines',
  'engines get': 'hunt get',
  engines: 'list engines',
  'levels list': 'list levels',
  levels: 'list levels',
  field: 'hunt board',
  'driver-test': 'test',
  'test-plugin': 'test',
  checkers: 'list checkers',
  formats: 'list formats',
  tools: 'list tools',
  workloads: 'list workloads',
  playground: 'new playground',
  compare: 'check --checker NAMES',
  shrink: 'explain --to isolab',
  view: 'explain --to html',
};

const CHECKER = { '--variant': '--checker :VARIANT' };

/** Flags of commands by their old spelling; a word in capitals stands for the value. */
export const OLD_FLAGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  check: { ...CHECKER, '--checkers': '--checker NAMES' },
  explain: { ...CHECKER, '--whole': '--skip shrinking' },
  run: { ...CHECKER, '--no-final-reads': '--skip final-reads' },
  collect: { '--no-final-reads': '--skip final-reads' },
  generate: {
    '--fault': '--faults FAULT',
    '--aborts': '--faults abort=PROBABILITY',
    '--unknowns': '--faults unknown=PROBABILITY',
    '--no-times': '--skip times',
  },
  levels: { '--svg': '--out FOLDER' },
  reproduce: { '--to': '--out FOLDER', '--tries': '--schedules N' },
  hunt: { '--count': '--until end', '--no-reproduce': '--skip reproduction' },
  'hunt board': {
    '--board': '--out FOLDER',
    '--control': '--note control=DATABASE',
    '--known': '--note known=TEXT',
    '--confirmed': '--note program=PROGRAM',
    '--says': '--note printed=TEXT',
    '--undecided': '--note undecided=TEXT',
  },
  record: {
    '--upstream': '--db DATABASE',
    '--no-check': '--skip check',
    '--no-log': '--skip log',
    '--report': '--output html=FILE',
    '--most-rows': '--max-rows N',
    '--tls-key': '--tls key=FILE',
    '--tls-cert': '--tls cert=FILE',
  },
  watch: { '--folder': '--out FOLDER', '--no-follow': '--until end' },
  bench: {
    '--time-limit': '--time TIME',
    '--memory-limit': '--memory SIZE',
    '--results': '--out FILE',
    '--fresh': '--again results',
    '--fresh-histories': '--again histories',
  },
  'bench report': { '--no-png': '--skip png' },
  'bench datasets': {
    '--yes': '--force',
    '--all': 'all',
    '--id': '--name NAME',
    '--title': '--set title=TITLE',
    '--database': '--set database=DATABASE',
    '--figure': '--set figure=FIGURE',
  },
  new: { '--folder': '--out FOLDER' },
};

/** A command line in the current spelling, and a note on each old word in it. */
export interface Translated {
  readonly args: readonly string[];
  readonly notes: readonly string[];
}

export function translated(args: readonly string[]): Translated {
  const old = Object.keys(OLD_COMMANDS).find((words) => begins(args, words));
  const now = old === undefined ? undefined : OLD_COMMANDS[old]!;
  const name = now?.replace(/ --.*/, '');
  const rest = old === undefined ? args : without(args, old.split(' '));
  const words = name === undefined ? [] : name.split(' ');
  const flags = OLD_FLAGS[name ?? ''] ?? OLD_FLAGS[args.slice(0, 2).join(' ')] ?? OLD_FLAGS[args[0] ?? ''] ?? {};
  const notes = old === undefined ? [] : [`${old} is now ${now}`];
  const end = rest.includes('--') ? rest.indexOf('--') : rest.length;
  for (let i = 0; i < end; i++) {
    const [flag, ...given] = rest[i]!.split('=') as [string, ...string[]];
    const current = Object.hasOwn(flags, flag) ? flags[flag]! : null;
    if (current === null) words.push(rest[i]!);
    else {
      notes.push(`${flag} is now ${current}`);
      const value = VALUE.test(current) ? (given.length > 0 ? given.join('=') : (rest[++i] ?? '')) : '';
      words.push(...current.split(' ').map((word) => word.replace(VALUE, () => value)));
    }
  }
  return { args: [...completed(old, withVariants(words)), ...rest.slice(end)], notes };
}

const VALUE = /\b[A-Z]+$/;

function begins(args: readonly string[], words: string): boolean {
  const [first, second] = words.split(' ');
  if (args[0] !== first) return false;
  if (second !== undefined) return second.startsWith('-') ? args.includes(second) : args[1] === second;
  return first !== 'levels' || ((args[1] ?? '--').startsWith('--') && args[1] !== '--help');
}

function without(args: readonly string[], words: readonly string[]): readonly string[] {
  const places = words.map((word) => args.indexOf(word));
  return args.filter((_, i) => !places.includes(i));
}

/** Merges `--checker weave --checker :plain` into `--checker weave:plain`. */
function withVariants(words: readonly string[]): readonly string[] {
  const variant = words.find((word, i) => word.startsWith(':') && words[i - 1] === '--checker');
  if (variant === undefined) return words;
  const at = words.indexOf(variant);
  const left = words.filter((_, i) => i !== at && i !== at - 1);
  if (!left.includes('-c') && !left.includes('--checker')) return words; // no checker has this name
  return left.map((word, i) => (left[i - 1] === '-c' || left[i - 1] === '--checker' ? `${word}${variant}` : word));
}

/** Adds the defaults of commands that were merged into others. */
function completed(old: string | undefined, words: readonly string[]): readonly string[] {
  const has = (...flags: readonly string[]): boolean =>
    words.some((word) => flags.some((flag) => word === flag || word.startsWith(`${flag}=`)));
  if (old === 'view') return [...words, '--to', 'html'];
  if (old === 'shrink') return has('--to') ? words : [...words, '--to', 'isolab'];
  if (old !== 'compare') return words;
  const named = words.map((word, i) =>
    words[i - 1] === '--checker' ? (word === 'all' ? 'all,baselines' : `${word},`) : word,
  );
  return [
    ...named,
    ...(has('--checker') ? [] : ['--checker', 'all']),
    ...(has('-l', '--level') ? [] : ['--level', 'all']),
  ];
}
