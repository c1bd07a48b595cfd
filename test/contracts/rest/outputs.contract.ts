import type { JsonObject, Transport } from '@kubewright/kube';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TestServer } from '../../servers/test-server.ts';
import { metaOf, namesIn, namespaceFor } from './namespace-for.ts';

type Answer = { readonly status: number; readonly type: string; readonly body: JsonObject };

async function get(transport: Transport, path: string, accept: string): Promise<Answer> {
  const response = await transport.request({ method: 'GET', path, headers: { accept } });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const body = text.startsWith('{') ? (JSON.parse(text) as JsonObject) : { text };
  return { status: response.status, type: String(response.headers['content-type']), body };
}

const as = (form: string): string => `application/json;as=${form};g=meta.k8s.io;v=v1`;

/** Objects shown otherwise than they are. */
export function outputsContract(server: () => TestServer): void {
  const { configMaps, create } = namespaceFor(server, 'outputs');
  const ask = (path: string, accept: string): Promise<Answer> => get(server().transport(), path, accept);
  beforeAll(async () => {
    await create('a', { labels: { x: '1' }, data: { k: 'v' } });
    await create('b');
  });

  describe('metadata only', () => {
    it('of an object', async () => {
      const { body } = await ask(`${configMaps}/a`, as('PartialObjectMetadata'));
      expect(Object.keys(body).toSorted()).toEqual(['apiVersion', 'kind', 'metadata']);
      expect(body).toMatchObject({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' });
      expect(metaOf(body)).toMatchObject({ name: 'a', labels: { x: '1' } });
    });

    it('of a list, page by page', async () => {
      const { body } = await ask(`${configMaps}?limit=1`, as('PartialObjectMetadataList'));
      expect(body).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' });
      expect(namesIn(body)).toEqual(['a']);
      expect(metaOf(body).remainingItemCount).toBe(1);
    });

    it('is refused where an object is asked for as a list', async () => {
      const { status } = await ask(`${configMaps}/a`, 'application/json;as=Nothing;g=meta.k8s.io;v=v1');
      expect(status).toBe(406);
    });

    it('falls back to what can be had', async () => {
      const { body } = await ask(
        `${configMaps}/a`,
        `application/json;as=Nothing;g=meta.k8s.io;v=v1, application/json`,
      );
      expect(body).toMatchObject({ kind: 'ConfigMap', data: { k: 'v' } });
    });
  });

  describe('tables', () => {
    const rowsOf = (body: JsonObject): readonly JsonObject[] => body['rows'] as readonly JsonObject[];

    it('are not made of questions, which are no objects', async () => {
      const answers = ['', ', application/json'].map((fallback) =>
        server()
          .transport()
          .request({
            method: 'POST',
            path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
            headers: { accept: `${as('Table')}${fallback}`, 'content-type': 'application/json' },
            body: JSON.stringify({ spec: { nonResourceAttributes: { path: '/', verb: 'get' } } }),
          }),
      );
      const statuses = (await Promise.all(answers)).map(({ status }) => status);
      expect(statuses).toEqual([406, 201]);
    });

    it('carry metadata unless told otherwise', async () => {
      const { body } = await ask(configMaps, as('Table'));
      expect(body).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
      expect(rowsOf(body).map((row) => (row['cells'] as readonly unknown[])[0])).toEqual(['a', 'b']);
      expect(rowsOf(body)[0]?.['object']).toMatchObject({
        kind: 'PartialObjectMetadata',
        metadata: { name: 'a' },
      });
    });

    it.each([
      ['Object', 'ConfigMap'],
      ['Metadata', 'PartialObjectMetadata'],
    ])('include the object as %s', async (include, kind) => {
      const { body } = await ask(`${configMaps}?includeObject=${include}`, as('Table'));
      expect(rowsOf(body)[0]?.['object']).toMatchObject({ kind });
    });

    it('include nothing on demand', async () => {
      const { body } = await ask(`${configMaps}?includeObject=None`, as('Table'));
      expect(rowsOf(body)[0]?.['object'] ?? null).toBeNull();
    });

    it('refuse to include what there is not', async () => {
      const { status } = await ask(`${configMaps}?includeObject=Everything`, as('Table'));
      expect(status).toBe(400);
    });

    it('of one object have one row', async () => {
      const { body } = await ask(`${configMaps}/b`, as('Table'));
      expect(rowsOf(body)).toHaveLength(1);
    });
  });

  it('objects come as YAML too', async () => {
    const { type, body } = await ask(`${configMaps}/a`, 'application/yaml');
    expect(type).toBe('application/yaml');
    expect(body['text']).toContain('kind: ConfigMap\n');
  });
}
