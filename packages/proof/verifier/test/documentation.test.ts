import { inputOfBytes, parseNotation, readDocumentFrom } from '@isolab/formats';
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { type AggregatesCertificate, type LevelName, LEVELS } from '@isolab/contract';
import { verifyEvidence } from '../src/index.ts';
import { problemOf } from './support/certificates.ts';

interface Example {
  readonly level: LevelName;
  readonly verdict: 'satisfied' | 'violated';
  readonly certificate: { readonly kind: string };
}

const read = (path: string): string => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');
const page = read('docs/certificates.md') + read('packages/proof/verifier/examples.md');
const blocks = [...page.matchAll(/```history\n([^`]*)```\s+```json( refused)?\n([^`]*)```/g)].map(
  ([, text, refused, json]) => [text!, JSON.parse(json!) as Example, refused !== undefined] as const,
);
/** Histories with timestamps, which the notation does not have. */
const stamped = [...page.matchAll(/```stamped\n([^`]*)```\s+```json\n([^`]*)```/g)].map(
  ([, text, json]) => [text!, JSON.parse(json!) as Example] as const,
);
/** Aggregates, whose certificates need the history with its scans. */
const counted = [...page.matchAll(/```aggregates\n([^`]*)```\s+```json\n([^`]*)```/g)].map(
  ([, text, json]) => [text!, JSON.parse(json!) as Example] as const,
);
const schema = JSON.parse(read('packages/core/contract/schema/certificate.schema.json')) as {
  properties: { level: { examples: string[] } };
};
const validate = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false }).compile(schema);

describe('the examples of certificates', () => {
  test.each(blocks)(
    'the examples of certificates prove their verdicts: %s',
    (text, { level, verdict, certificate }, isRefused) => {
      const problem = problemOf(parseNotation(text), level, verdict, certificate);
      if (isRefused) expect(problem).not.toBeNull();
      else expect(problem).toBeNull();
    },
  );

  test.each(stamped)(
    'the examples of certificates prove their verdicts: %s',
    async (text, { level, verdict, certificate }) => {
      const lines = Buffer.from(`{"isolab":"history","version":1,"initial":0}\n${text}`);
      const document = await readDocumentFrom(inputOfBytes('stamped', lines));
      if (document.kind !== 'history') throw new Error('not a history');
      expect(problemOf(document.history, level, verdict, certificate)).toBeNull();
      expect(problemOf(document.history, 'serializable', verdict, certificate)).toContain('takes it at "commit"');
      expect(problemOf(document.history, level, verdict, { ...certificate, read: 1 })).toBe(
        'operation 1 is not a read',
      );
    },
  );

  test.each(counted)(
    'the examples of certificates prove their verdicts: %s',
    (text, { level, verdict, certificate }) => {
      const evidence = { certificate: certificate as AggregatesCertificate };
      expect(verifyEvidence(parseNotation(text), level, verdict, evidence)).toMatchObject({ ok: true });
    },
  );

  test.each([...blocks.map(([text, example]) => [text, example] as const), ...stamped, ...counted])(
    'the examples of certificates have the form of the schema: %s',
    (_, example) => {
      const head = {
        isolab: 'certificate',
        version: 1,
        checker: 'by-hand',
        history: { transactions: 0, operations: 0 },
      };
      const isValid = validate({ ...head, ...example });
      expect(validate.errors ?? []).toEqual([]);
      expect(isValid).toBe(true);
      expect(validate({ ...head, ...example, verdict: 'unknown' })).toBe(false);
      expect(validate({ ...head, ...example, certificate: { ...example.certificate, kind: 'opinion' } })).toBe(false);
    },
  );

  test('the examples of certificates show every kind of certificate, reason and step', () => {
    const kinds = new Set([...page.matchAll(/"kind": "([a-z-]+)"/g)].map(([, kind]) => kind!));
    const certificates = [
      'inspection',
      'commit-order',
      'event-order',
      'internal',
      'lists',
      'updates',
      'cycle',
      'cases',
      'proof',
      'aggregates',
      'rows',
      'total',
      'timestamps',
      'version-orders',
      'axioms',
    ];
    const order = ['session', 'initial', 'real-time', 'version', 'overwritten', 'overwrites', 'assumed'];
    const reads = ['read-from', 'assumed-read'];
    expect([...kinds].toSorted()).toEqual(
      [...new Set([...certificates, ...order, ...reads, 'candidates', 'axiom', 'learned'])].toSorted(),
    );
    // The other one is a whole file, which is tested where files are read.
    expect(page.match(/```json/g)).toHaveLength(blocks.length + stamped.length + counted.length + 2);
  });
});

test('the schema knows every level', () => {
  expect(schema.properties.level.examples).toEqual(LEVELS.map(({ name }) => name));
});
