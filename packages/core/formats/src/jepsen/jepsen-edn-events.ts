import { type Interner, keyword, literal } from '@isolab/history';
import { EdnReader, type EdnValue } from '../syntax/edn.ts';
import { type Datum, OPAQUE } from './jepsen-event.ts';
import { JepsenEventReader, type Terms } from './jepsen-event-reader.ts';

/** Reads events such as `{:type :ok, :f :txn, :value [[:append 3 1] [:r 4 [7]]], :process 0, :time 17, :index 2}`. */
export class EdnEventReader extends JepsenEventReader {
  readonly reader = new EdnReader();
  protected readonly terms = TERMS;

  protected beginMap(): void {
    if (this.reader.peek() === 'tagged') this.reader.readTag(); // an event as a record of Jepsen's own type
    this.reader.beginMap();
  }

  protected nextName(): string | undefined {
    const { reader } = this;
    while (reader.nextElement()) {
      if (reader.peek() === 'keyword') return reader.readKeyword();
      reader.skipValue();
      reader.skipValue();
    }
    return undefined;
  }

  protected readWord(): string {
    return this.reader.readKeyword();
  }

  protected readDatum(): Datum {
    return datumOf(this.reader.readValue());
  }

  protected readOtherAtom(atoms: Interner, kind: string): number | undefined {
    if (kind === 'keyword') return atoms.keyword(this.reader.readKeyword());
    if (kind === 'boolean' || kind === 'symbol' || kind === 'character')
      return atoms.literal(this.reader.readVerbatim());
    return undefined;
  }
}

/** Converts a form to a datum, which both notations share. */
function datumOf(form: EdnValue): Datum {
  if (form === null || typeof form === 'bigint' || typeof form === 'string') return form;
  if (typeof form === 'number') return BigInt(form);
  if (typeof form === 'boolean') return literal(String(form));
  switch (form.kind) {
    case 'keyword':
      return keyword(form.name);
    case 'symbol':
    case 'character':
      return literal(form.name);
    case 'number':
    case 'tagged':
      return literal(form.text);
    case 'map':
      return OPAQUE;
    default:
      return form.items.map(datumOf);
  }
}

const TERMS: Terms = {
  nothing: 'nil',
  word: 'keyword',
  map: 'map',
  isSequence: (kind) => kind === 'vector' || kind === 'list',
  show: (word) => `:${word}`,
  types: "':invoke', ':ok', ':fail' or ':info'",
  functions: "':r', ':w' or ':append'",
  key: 'a key: an integer, a keyword, a string or another single token',
  value: 'a value: an integer, a keyword, a string or another single token',
  articles: {
    vector: 'a vector',
    list: 'a list',
    set: 'a set',
    map: 'a map',
    tagged: 'a tagged form',
    end: 'the end',
  },
};
