import { readFileSync } from 'node:fs';
import {
  canonicalJson,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  parseJson,
} from '@kubewright/kube';
import { describe, expect, it } from 'vitest';
import type { TestServer } from '../../servers/test-server.ts';
import { PATCH } from '../../support/api.ts';
import { namespaceFor } from './namespace-for.ts';

type Answer = { readonly status: number; readonly body: JsonObject; readonly warning: string };

const EVERY = 7;

/** The scalars of goldens/yaml: every seventh, and each with what it is as the item of a list. */
function scalars(): readonly (readonly [text: string, item: Json])[] {
  const lines = readFileSync(new URL('../../../goldens/yaml/scalars.jsonl', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  return lines
    .filter((_line, index) => index % EVERY === 0)
    .map((line) => {
      const [text, item] = parseJson(line) as readonly [string, Json, Json];
      return [text, item] as const;
    });
}

function revision(name: string, data: string): string {
  return `apiVersion: apps/v1\nkind: ControllerRevision\nmetadata: {name: ${name}}\nrevision: 1\ndata:\n${data}`;
}

/** A ControllerRevision holds any data, as it is. */
export function yamlContract(server: () => TestServer): void {
  const { name: namespace } = namespaceFor(server, 'yaml');
  const revisions = `/apis/apps/v1/namespaces/${namespace}/controllerrevisions`;

  const send = async (method: 'POST' | 'PATCH', path: string, text: string | Uint8Array): Promise<Answer> => {
    const type = method === 'POST' ? 'application/yaml' : PATCH.apply;
    const headers = { accept: 'application/json', 'content-type': type };
    const response = await server().transport().request({ method, path, headers, body: text });
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    const body = parseJson(Buffer.concat(chunks)) as JsonObject;
    return { status: response.status, body, warning: String(response.headers['warning'] ?? '') };
  };
  const create = (text: string | Uint8Array, query = ''): Promise<Answer> =>
    send('POST', `${revisions}${query}`, text);
  const apply = (name: string, text: string): Promise<Answer> =>
    send('PATCH', `${revisions}/${name}?fieldManager=test&force=true`, text);
  const both = async (name: string, text: string): Promise<readonly Answer[]> => [
    await create(text.replace(name, `${name}-created`)),
    await apply(name, text),
  ];
  const itemsOf = ({ body }: Answer): Json => {
    const data = body['data'];
    return (isJsonObject(data ?? null) ? (data as JsonObject)['items'] : undefined) ?? null;
  };

  it('scalars are stored as sigs.k8s.io/yaml reads them, created and applied', async () => {
    const read = scalars().filter(([, item]) => isJsonArray(item));
    const items = read.map(([text]) => `  - ${text}\n`).join('');
    const expected = read.flatMap(([, item]) => item as readonly Json[]);
    for (const answer of await both('scalars', revision('scalars', `  items:\n${items}`))) {
      expect(answer.status, canonicalJson(answer.body).slice(0, 300)).toBe(201);
      expect(canonicalJson(itemsOf(answer))).toBe(canonicalJson(expected));
    }
  });

  it('a scalar that it rejects is rejected, created and applied', async () => {
    const bad = scalars().filter(([, item]) => !isJsonArray(item));
    expect(bad.length).toBeGreaterThan(20);
    const statuses: number[] = [];
    for (const [text] of bad.slice(0, 30))
      for (const { status } of await both('bad', revision('bad', `  items:\n  - ${text}\n`)))
        statuses.push(status);
    expect(new Set(statuses)).toEqual(new Set([400]));
  });

  describe('documents', () => {
    it.each<[title: string, data: string, items: Json]>([
      ['short commit hashes', '  items: [e10, e1234567, 1234e567]\n', ['e10', 'e1234567', '1234e567']],
      ['times and dates', '  items: [22:30, 2026-11-29]\n', ['22:30', '2026-11-29']],
      ['octal numbers of both forms', '  items: [0755, 0o755, 0888]\n', [493, 493, 888]],
      ['keys that are no texts', '  items: {1: a, yes: b, 1.5: c}\n', { '1': 'a', true: 'b', '1.5': 'c' }],
      ['a second document', '  items: [1]\n---\n[broken\n', [1]],
      ['merge keys, in their order', '  items: {a: 1, <<: {a: 2, b: 3}, b: 4}\n', { a: 2, b: 4 }],
      ['aliases', '  items: [&x {a: 1}, *x, &x 2, *x]\n', [{ a: 1 }, { a: 1 }, 2, 2]],
      ['binary', '  items: [!!binary aGVsbG8=]\n', ['hello']],
      ['brackets that are not indented', '  items: [\n1,\n2\n]\n', [1, 2]],
      ['an unknown tag', '  items: [!Ref a, !x 1]\n', ['a', '1']],
    ])('with %s are stored', async (title, data, items) => {
      const name = title.replaceAll(/[^a-z]+/g, '-');
      for (const answer of await both(name, revision(name, data))) {
        expect(answer.status, canonicalJson(answer.body)).toBe(201);
        expect(itemsOf(answer)).toEqual(items);
      }
    });

    it('keep an integer of 64 bits', async () => {
      const text = revision(
        'big',
        '  items: [9007199254740993, -9223372036854775808, 18446744073709551615, 1e18]\n',
      );
      for (const answer of await both('big', text))
        expect(canonicalJson(itemsOf(answer))).toBe(
          '[9007199254740993,-9223372036854775808,18446744073709552000,1000000000000000000]',
        );
    });

    it.each<[title: string, text: string]>([
      ['not a number', revision('bad', '  items: [.nan]\n')],
      ['a null key', revision('bad', '  items: {~: 1}\n')],
      ['YAML 1.2', `%YAML 1.2\n---\n${revision('bad', '  items: [1]\n')}`],
      ['an escaped half of a character', revision('bad', String.raw`  items: ["\ud83d\ude00"]`)],
      ['an escaped slash', revision('bad', String.raw`  items: ["\/"]`)],
      ['a tab as indent', revision('bad', '\titems: [1]\n')],
      ['a control character', revision('bad', '  items: ["\u0007"]\n')],
      ['an unknown anchor', revision('bad', '  items: [*x]\n')],
      ['an alias of itself', revision('bad', '  items: &x [*x]\n')],
      ['a tag that does not fit', revision('bad', '  items: [!!int a]\n')],
      ['a question mark in brackets', revision('bad', '  items: [a?b]\n')],
    ])('with %s are rejected', async (_title, text) => {
      for (const { status } of await both('bad', text)) expect(status).toBe(400);
    });

    it('that are not UTF-8 are rejected', async () => {
      const text = Buffer.concat([
        Buffer.from(revision('bad', '  items: ["')),
        Buffer.from([0xff]),
        Buffer.from('"]\n'),
      ]);
      expect((await create(text)).status).toBe(400);
    });
  });

  it('of JSON are read as YAML too, where that differs', async () => {
    const text = (items: string): string =>
      `{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"json"},"revision":1,"data":{"items":${items}}}`;
    expect((await create(text(String.raw`["\ud83d\ude00"]`))).status).toBe(400);
    expect((await create(text(String.raw`["\/"]`))).status).toBe(400);
    const created = await create(text('[1e400, 1e3, "a\\u00e9"]'));
    expect(itemsOf(created)).toEqual(['1e400', 1000, 'aé']);
  });

  it('with a key that is set twice are rejected by strict validation, which names the line of its value', async () => {
    const text = revision('twice', '  items: 1\n  items:\n    a: 1\n');
    const strict = await create(text, '?fieldValidation=Strict');
    expect(strict.status).toBe(400);
    expect(strict.body['message']).toContain('line 8: key "items" already set in map');
    const warned = await create(text);
    expect(warned.status).toBe(201);
    expect(warned.warning).toContain('line 8: key');
    expect(itemsOf(warned)).toEqual({ a: 1 });
  });
}
