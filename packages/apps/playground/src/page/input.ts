/** Input of the user: a text, or files that are chosen or dropped; the latest input counts. */

import { data, element, show, write } from './elements.ts';
import type { Example } from '../examples/examples.ts';

export interface Input {
  /** Files to check; a text counts as a file. Empty without input. */
  files(): readonly File[];
  /** Text for a link: the pasted text, or the only file, unpacked; null if there are several. */
  text(): Promise<string | null>;
  /** Replaces the input by a text. */
  put(text: string, note?: string): void;
}

/** Sets up all kinds of input; `onExample` is called after an example was inserted. */
export function setUpInput(onExample: () => void): Input {
  const text = element<HTMLTextAreaElement>('text');
  const picker = element<HTMLInputElement>('file');
  let chosen: readonly File[] = [];

  const choose = (files: readonly File[]): void => {
    chosen = files;
    const isChosen = files.length > 0;
    text.hidden = isChosen;
    show('chosen', isChosen);
    if (isChosen) write('chosen-name', describe(files));
    write('example-note', '');
  };
  picker.addEventListener('change', () => {
    const files = [...(picker.files ?? [])];
    picker.value = ''; // choosing the same file again is then a change
    if (files.length === 0) return;
    choose(files);
    element('check').focus();
  });
  element('remove').addEventListener('click', () => {
    choose([]);
    text.focus();
  });
  takeDrops((files) => {
    choose(files);
    element('check').focus();
  });
  const put = (given: string, note = ''): void => {
    choose([]);
    text.value = given;
    write('example-note', note);
  };
  takeExamples((example) => {
    put(example.text, example.note);
    onExample();
  });
  text.addEventListener('input', () => write('example-note', ''));
  return {
    files: () => {
      if (chosen.length > 0) return chosen;
      return text.value.trim() === '' ? [] : [new File([text.value], 'the text')];
    },
    text: async () => (chosen.length === 0 ? text.value : chosen.length === 1 ? textOf(chosen[0]!) : null),
    put,
  };
}

/** Text of a file, which may be compressed. */
async function textOf(file: File): Promise<string> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const isGzip = first === 0x1f && second === 0x8b;
  const stream = isGzip ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream();
  return new Response(stream).text();
}

const describe = (files: readonly File[]): string => {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const name = files.length === 1 ? files[0]!.name : `${files.length} files`;
  return `${name}, ${size < 1e6 ? `${Math.ceil(size / 1e3)} kB` : `${(size / 1e6).toFixed(1)} MB`}`;
};

function takeDrops(onDrop: (files: readonly File[]) => void): void {
  const mark = (isOver: boolean): void => void document.body.classList.toggle('dropping', isOver);
  document.addEventListener('dragover', (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return; // a text that is dropped onto the text area
    event.preventDefault();
    mark(true);
  });
  document.addEventListener('dragleave', (event) => mark(event.relatedTarget !== null));
  document.addEventListener('drop', (event) => {
    mark(false);
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    onDrop(files);
  });
}

function takeExamples(onExample: (example: Example) => void): void {
  const examples = data<Example[]>('examples');
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-example]')) {
    const example = examples[Number(button.dataset['example'])]!;
    button.addEventListener('click', () => onExample(example));
  }
}
