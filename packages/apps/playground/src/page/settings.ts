/** Settings for a history, from the controls of the page. */

import type { LevelName } from 'isolab/check';
import type { AskedLevel, EngineAsked, Given, Limits, OwnLevel } from '../worker/protocol.ts';
import type { CheckerChoice } from '../examples/choices.ts';
import { data, element, make, show } from './elements.ts';

/** Wrong input of a user. */
export class SettingError extends Error {}

const valueOf = (id: string): string => element<HTMLInputElement | HTMLSelectElement>(id).value;
const isOn = (id: string): boolean => element<HTMLInputElement>(id).checked;

/** Value of a level's select for the user's own level. */
const OWN = 'own';

export const levelAsked = (): AskedLevel | 'all' => (valueOf('level') === 'all' ? 'all' : levelIn('level'));

/** Level that a select names. */
export function levelIn(id: string): AskedLevel {
  const value = valueOf(id);
  if (value !== OWN) return value as LevelName;
  const own = ownLevel();
  if (own === null)
    throw new SettingError('Your level is empty; write its definition, or start from the file of another level.');
  return own;
}

/** Settings that select a level by name; the user's own level is not among the choices. */
export function settingsForLevel(name: string): Record<string, string> {
  const isChoice = [...element<HTMLSelectElement>('level').options].some(({ value }) => value === name);
  return { level: isChoice ? name : OWN, own: valueOf('own-level') };
}

/** Level that the user wrote; null if there is none. */
export function ownLevel(): OwnLevel | null {
  const text = valueOf('own-level');
  return text.trim() === '' ? null : { text };
}

export const givenAs = (files: readonly File[]): Given => ({
  files,
  format: valueOf('format'),
  failedStatements: valueOf('failed-statements') as Given['failedStatements'],
  initialTransaction: valueOf('initial-transaction') as Given['initialTransaction'],
});

export function engineAsked(): EngineAsked {
  const checker = valueOf('checker');
  const variant = valueOf('variant');
  return { checker, variant: variant === '' ? null : variant, options: optionsIn(valueOf('options')) };
}

export const limitsAsked = (): Limits => ({
  timeMs: timeIn(valueOf('time')),
  steps: stepsIn(valueOf('steps')),
  allowVacuous: isOn('allow-vacuous'),
  allowCutOff: isOn('allow-cut-off'),
});

export const isFindingAll = (): boolean => isOn('find-all');

/** Parses options: `name=value` separated by spaces, commas or line breaks. */
export function optionsIn(text: string): Record<string, string> {
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      if (at < 1) throw new SettingError(`The option ${word} has no value; expected name=value.`);
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
}

/** Parses a time in the format of `--time`: 500ms, 60s or 10m; null for an empty text. */
export function timeIn(text: string): number | null {
  if (text.trim() === '') return null;
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?) *(ms|s|m|h)?$/.exec(text.trim()) ?? [];
  if (number === undefined)
    throw new SettingError(`The time limit is ${text}; expected a time such as 500ms, 60s or 10m.`);
  return Number(number) * { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[unit as 'ms'];
}

export function stepsIn(text: string): number | null {
  if (text.trim() === '') return null;
  if (!/^\d+$/.test(text.trim())) throw new SettingError(`The step limit is ${text}; expected a whole number.`);
  return Number(text);
}

/** Names in a link, and the controls that they set. */
const LINKED: Readonly<Record<string, string>> = {
  level: 'level',
  own: 'own-level',
  checker: 'checker',
  variant: 'variant',
  options: 'options',
  format: 'format',
  time: 'time',
  steps: 'steps',
  failed: 'failed-statements',
  initial: 'initial-transaction',
  all: 'find-all',
  vacuous: 'allow-vacuous',
  cut: 'allow-cut-off',
};

/** All settings that differ from the page's defaults. */
export function settingsForLink(): Record<string, string> {
  const changed = Object.entries(LINKED).flatMap(([name, id]): [string, string][] => {
    const value = read(id);
    return value === standardOf(id) ? [] : [[name, value]];
  });
  return Object.fromEntries(changed);
}

/** Sets all controls from a link; absent ones get their defaults. */
export function takeSettings(settings: Readonly<Record<string, string>>): void {
  for (const [name, id] of Object.entries(LINKED)) {
    const control = element<HTMLInputElement | HTMLSelectElement>(id);
    const value = settings[name] ?? standardOf(id);
    if (control instanceof HTMLInputElement && control.type === 'checkbox') control.checked = value === 'yes';
    else control.value = value;
    // A select without this choice is left without any value.
    if (control instanceof HTMLSelectElement && control.value !== value)
      throw new SettingError(`The link uses the ${name} ${value}, which this page does not have.`);
    if (id === 'checker') showChecker();
    if (id === 'level') showOwnLevel();
  }
  element<HTMLDetailsElement>('more').open = Object.keys(settings).some((name) => !SHOWN.has(name));
}

/** Settings outside “More settings”. */
const SHOWN: ReadonlySet<string> = new Set(['level', 'own', 'checker']);

function read(id: string): string {
  const control = element<HTMLInputElement | HTMLSelectElement>(id);
  if (control instanceof HTMLInputElement && control.type === 'checkbox') return control.checked ? 'yes' : '';
  return control.value;
}

function standardOf(id: string): string {
  const control = element<HTMLInputElement | HTMLSelectElement>(id);
  return control instanceof HTMLSelectElement ? (control.options[0]?.value ?? '') : '';
}

/** Shows the variants and options of the chosen checker. */
export function setUpSettings(): void {
  element('checker').addEventListener('change', showChecker);
  showChecker();
  for (const id of LEVEL_SELECTS) element(id).addEventListener('change', showOwnLevel);
  showOwnLevel();
  const from = element<HTMLSelectElement>('own-from');
  from.addEventListener('change', () => {
    element<HTMLTextAreaElement>('own-level').value = data<Record<string, string>>('level-texts')[from.value] ?? '';
  });
}

const LEVEL_SELECTS = ['level', 'first-level', 'second-level'];

/** The text of the user's own level is written in one place for all selects. */
const showOwnLevel = (): void =>
  show(
    'own-part',
    LEVEL_SELECTS.some((id) => valueOf(id) === OWN),
  );

function showChecker(): void {
  const choice = data<CheckerChoice[]>('checker-choices').find(({ name }) => name === valueOf('checker'));
  const variants = choice?.variants ?? [];
  element('variant').replaceChildren(
    make('option', choice === undefined ? 'choose a checker first' : 'the default algorithm'),
    ...variants.map(({ name, help }) => {
      const option = make('option', name);
      option.title = help;
      return option;
    }),
  );
  element<HTMLSelectElement>('variant').options[0]!.value = '';
  element<HTMLSelectElement>('variant').disabled = variants.length === 0;
  element<HTMLInputElement>('options').disabled = choice === undefined;
  if (choice === undefined) element<HTMLInputElement>('options').value = '';
  show('options-help', (choice?.options ?? []).length > 0);
  element('options-help').replaceChildren(
    ...(choice?.options ?? []).flatMap(({ name, standard, help }) => [
      make('dt', [make('code', `${name}=${standard}`)]),
      make('dd', help),
    ]),
  );
}
