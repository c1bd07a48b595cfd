import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestServer } from '../../servers/test-server.ts';
import { type Answer, call, PATCH, query } from '../../support/api.ts';
import { type WatchLine, watchLines } from '../../support/watch-lines.ts';
import { metaOf, namesIn, namespaceFor } from './namespace-for.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';

const boat = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      'x-kubernetes-validations': [
        {
          rule: '!has(self.limit) || self.crew <= self.limit',
          message: 'too many on board',
          reason: 'FieldValueForbidden',
          fieldPath: '.crew',
        },
      ],
      properties: {
        port: {
          type: 'string',
          maxLength: 20,
          'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'a boat keeps its port' }],
        },
        crew: { type: 'integer', default: 1, minimum: 0 },
        limit: { type: 'integer' },
      },
    },
    status: { type: 'object', properties: { crew: { type: 'integer' }, selector: { type: 'string' } } },
  },
};
const older = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: { port: { type: 'string' }, sails: { type: 'integer', default: 2 } },
    },
  },
};

function definition(group: string): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `boats.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'boats', kind: 'Boat', shortNames: ['bt'] },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: {
            status: {},
            scale: {
              specReplicasPath: '.spec.crew',
              statusReplicasPath: '.status.crew',
              labelSelectorPath: '.status.selector',
            },
          },
          selectableFields: [{ jsonPath: '.spec.port' }, { jsonPath: '.spec.crew' }],
          additionalPrinterColumns: [
            { name: 'Port', type: 'string', jsonPath: '.spec.port' },
            { name: 'Crew', type: 'integer', jsonPath: '.spec.crew' },
            { name: 'Limit', type: 'integer', jsonPath: '.spec.limit', priority: 1 },
          ],
          schema: { openAPIV3Schema: boat },
        },
        {
          name: 'v1beta1',
          served: true,
          storage: false,
          deprecated: true,
          schema: { openAPIV3Schema: older },
        },
      ],
    },
  };
}

/** The resources of definitions: rules, subresources, columns, selectable fields, versions. */
export function customResourcesContract(server: () => TestServer): void {
  const group = `r${randomUUID().slice(0, 8)}.example.com`;
  const { name: namespace } = namespaceFor(server, 'boats');
  const boats = `/apis/${group}/v1/namespaces/${namespace}/boats`;
  const beta = `/apis/${group}/v1beta1/namespaces/${namespace}/boats`;
  const send = (
    ...request: [method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: JsonObject]
  ): Promise<Answer> => call(server().transport(), ...request);
  const patch = (path: string, body: JsonObject): Promise<Answer> =>
    call(server().transport(), 'PATCH', `${boats}/${path}`, body, PATCH.merge);
  const make = (name: string, spec: JsonObject, version = 'v1'): Promise<Answer> =>
    send('POST', version === 'v1' ? boats : beta, {
      apiVersion: `${group}/${version}`,
      kind: 'Boat',
      metadata: { name },
      spec,
    });

  beforeAll(async () => {
    await send('POST', DEFINITIONS, definition(group));
    const named = query({ watch: '1', fieldSelector: `metadata.name=boats.${group}`, timeoutSeconds: '30' });
    await watchLines(server().transport(), `${DEFINITIONS}${named}`, isEstablished);
    await becomesServed(() => send('GET', boats));
  });
  afterAll(() => send('DELETE', `${DEFINITIONS}/boats.${group}`));

  describe('rules', () => {
    it('refuse what they forbid, in their words', async () => {
      const { status, body } = await make('full', { port: 'kiel', crew: 5, limit: 4 });
      expect(status).toBe(422);
      expect(body['message']).toBe(
        `Boat.${group} "full" is invalid: spec.crew: Forbidden: too many on board`,
      );
    });

    it('compare with what was there before', async () => {
      await make('fixed', { port: 'kiel' });
      const { status, body } = await patch('fixed', { spec: { port: 'oslo' } });
      expect(status).toBe(422);
      expect(body['message']).toContain('spec.port: Invalid value: "oslo": a boat keeps its port');
      expect((await patch('fixed', { spec: { crew: 2 } })).status).toBe(200);
    });
  });

  it('status and spec are written apart, and only the spec is counted', async () => {
    await make('apart', { port: 'kiel' });
    const spec = await patch('apart', { spec: { crew: 3 }, status: { crew: 9 } });
    expect([metaOf(spec.body).generation, spec.body['status'] ?? null]).toEqual([2, null]);
    const told = await patch('apart/status', { spec: { crew: 8 }, status: { crew: 3, junk: 1 } });
    expect(told.body['spec']).toMatchObject({ crew: 3 });
    expect(told.body['status']).toEqual({ crew: 3 });
    expect(metaOf(told.body).generation).toBe(2);
  });

  it('is scaled by its own paths', async () => {
    await make('scaled', { port: 'kiel', crew: 2, limit: 6 });
    await patch('scaled/status', { status: { crew: 2, selector: 'app=boat' } });
    const before = await send('GET', `${boats}/scaled/scale`);
    expect(before.body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 2 },
      status: { replicas: 2, selector: 'app=boat' },
    });
    expect((await patch('scaled/scale', { spec: { replicas: 5 } })).body['spec']).toEqual({ replicas: 5 });
    expect((await send('GET', `${boats}/scaled`)).body['spec']).toMatchObject({ crew: 5 });
    expect((await patch('scaled/scale', { spec: { replicas: 7 } })).status).toBe(422);
  });

  it('is chosen by the fields that its definition names', async () => {
    await make('in-rostock', { port: 'rostock', crew: 4 });
    const choose = (fieldSelector: string): Promise<Answer> =>
      send('GET', `${boats}${query({ fieldSelector })}`);
    expect(namesIn((await choose('spec.port=rostock,spec.crew=4')).body)).toEqual(['in-rostock']);
    expect(namesIn((await choose('spec.port=rostock,spec.crew!=4')).body)).toEqual([]);
    expect((await choose('spec.limit=4')).status).toBe(400);
  });

  it('prints the columns that its definition names', async () => {
    await make('printed', { port: 'lagos', crew: 4 });
    const path = `${boats}${query({ fieldSelector: 'spec.port=lagos' })}`;
    const response = await server()
      .transport()
      .request({ method: 'GET', path, headers: { accept: TABLE } });
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    const table = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject;
    const columns = table['columnDefinitions'] as readonly JsonObject[];
    expect(columns.map(({ name, priority }) => [name, priority])).toEqual([
      ['Name', 0],
      ['Port', 0],
      ['Crew', 0],
      ['Limit', 1],
    ]);
    const [row] = table['rows'] as readonly JsonObject[];
    expect(row?.['cells']).toEqual(['printed', 'lagos', 4, null]);
  });

  it.each([
    [
      'https://github.com/kubernetes/enhancements/pull/1111',
      'True ApprovedAnnotation: approved in https://github.com/kubernetes/enhancements/pull/1111',
    ],
    ['unapproved, a "try"', 'False UnapprovedAnnotation: not approved: "unapproved, a \\"try\\""'],
  ])('says of a group of the project itself whether it is approved: %s', async (approval, expected) => {
    const own = `n${randomUUID().slice(0, 8)}.k8s.io`;
    const { metadata, ...rest } = definition(own);
    const annotations = { 'api-approved.kubernetes.io': approval };
    await send('POST', DEFINITIONS, { ...rest, metadata: { ...(metadata as JsonObject), annotations } });
    const read = async (): Promise<string | undefined> => {
      const { body } = await send('GET', `${DEFINITIONS}/boats.${own}`);
      const { conditions = [] } = body['status'] as { conditions?: readonly Record<string, string>[] };
      const found = conditions.find(({ type }) => type === 'KubernetesAPIApprovalPolicyConformant');
      return found && `${found['status']} ${found['reason']}: ${found['message']}`;
    };
    await expect.poll(read).toBe(expected);
    await send('DELETE', `${DEFINITIONS}/boats.${own}`);
  });

  describe('in several versions', () => {
    it('shows in each what that version knows', async () => {
      await make('both', { port: 'kiel', crew: 4, unknown: 1 });
      const { body, warnings } = await send('GET', `${beta}/both`);
      expect(body['apiVersion']).toBe(`${group}/v1beta1`);
      expect(body['spec']).toEqual({ port: 'kiel' });
      expect(warnings).toEqual([`299 - "${group}/v1beta1 Boat is deprecated; use ${group}/v1 Boat"`]);
    });

    it('keeps in store what the stored version knows', async () => {
      await make('old', { port: 'kiel', sails: 3, crew: 9 }, 'v1beta1');
      expect((await send('GET', `${boats}/old`)).body['spec']).toEqual({ port: 'kiel', crew: 1 });
      expect((await send('GET', `${beta}/old`)).body['spec']).toEqual({ port: 'kiel' });
    });

    it('is watched in the version that is asked for', async () => {
      const made = await make('watched', { port: 'kiel', crew: 4 });
      await patch('watched', { spec: { crew: 5 } });
      const since = query({
        watch: '1',
        timeoutSeconds: '30',
        resourceVersion: String(metaOf(made.body).resourceVersion),
      });
      const [event] = await watchLines(server().transport(), `${beta}${since}`, ({ length }) => length > 0);
      expect(event).toMatchObject({
        type: 'MODIFIED',
        object: { apiVersion: `${group}/v1beta1`, spec: { port: 'kiel' } },
      });
    });
  });
}

function isEstablished(events: readonly WatchLine[]): boolean {
  const status = (events.at(-1)?.object['status'] ?? {}) as JsonObject;
  const conditions = (status['conditions'] ?? []) as readonly JsonObject[];
  return conditions.some(
    (condition) => condition['type'] === 'Established' && condition['status'] === 'True',
  );
}

/** A definition is established a moment before its resource is routed to. */
async function becomesServed(list: () => Promise<Answer>): Promise<void> {
  while ((await list()).status !== 200);
}
