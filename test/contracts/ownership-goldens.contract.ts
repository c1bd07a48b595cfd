import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type Json, type JsonObject, type Transport, isJsonArray, isJsonObject } from '@kubewright/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestServer } from '../servers/test-server.ts';
import { type Answer, PATCH, call, query } from '../support/api.ts';
import { canonicalManagedFields, sorted } from '../support/canonical.ts';

type Step = {
  readonly op: string;
  readonly manager: string | null;
  readonly body: JsonObject;
  readonly result: Readonly<Record<string, Json>>;
};
type GoldenCase = { readonly id: string; readonly note: string; readonly steps: readonly Step[] };

const NAMESPACE = 'ownership-goldens';
const COLLECTIONS: Readonly<Record<string, string>> = {
  ConfigMap: `/api/v1/namespaces/${NAMESPACE}/configmaps`,
  Deployment: `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`,
};

const goldens = JSON.parse(
  readFileSync(new URL('../../goldens/ownership.json', import.meta.url), 'utf8'),
) as { readonly cases: readonly GoldenCase[] };

/** The object that a case is about: its first step brings it. */
function subject(golden: GoldenCase): { collection: string; name: string } {
  const body = golden.steps[0]?.body as { kind: string; metadata: { name: string } };
  const collection = COLLECTIONS[body.kind];
  assert(collection !== undefined, `${golden.id}: no collection for ${body.kind}`);
  return { collection, name: body.metadata.name };
}

/** The cases were recorded in `default`; here each server has a namespace for them. */
function inNamespace(body: JsonObject): JsonObject {
  return { ...body, metadata: { ...(body['metadata'] as JsonObject), namespace: NAMESPACE } };
}

/** Sends a step as it was sent when it was recorded. */
function send(transport: Transport, collection: string, name: string, step: Step): Promise<Answer> {
  const path = `${collection}/${name}`;
  const fieldManager = step.manager ?? undefined;
  const dryRun = step.op.endsWith('dryRun') ? 'All' : undefined;
  if (step.op === 'create(POST)') {
    return call(transport, 'POST', collection + query({ fieldManager }), inNamespace(step.body));
  }
  if (step.op.startsWith('apply(force)')) {
    const parameters = query({ fieldManager, force: true, dryRun });
    return call(transport, 'PATCH', path + parameters, inNamespace(step.body), PATCH.apply);
  }
  if (step.op.startsWith('rewrite managedFields')) {
    const value = step.body['managedFields'] ?? null;
    const patch = [{ op: 'replace', path: '/metadata/managedFields', value }];
    return call(transport, 'PATCH', path, patch, PATCH.json);
  }
  if (step.op === 'strategic-merge-patch') {
    return call(transport, 'PATCH', path + query({ fieldManager }), step.body, PATCH.strategic);
  }
  if (step.op === 'PATCH /scale') {
    return call(transport, 'PATCH', `${path}/scale${query({ fieldManager })}`, step.body, PATCH.merge);
  }
  assert.fail(`unknown step: ${step.op}`);
}

/** What a recorded result says of an object. */
function observe(object: JsonObject): Record<string, Json> {
  const metadata = at(object, 'metadata') as JsonObject;
  return {
    generation: at(metadata, 'generation'),
    labels: at(metadata, 'labels'),
    managedFields: canonicalManagedFields(metadata['managedFields']),
    replicas: at(object, 'spec', 'replicas'),
    strategy: at(object, 'spec', 'strategy', 'type'),
    initContainers: at(object, 'spec', 'template', 'spec', 'initContainers'),
    data: at(object, 'data'),
  };
}

function at(value: Json, ...names: readonly string[]): Json {
  return names.reduce<Json>((inner, name) => (isJsonObject(inner) ? (inner[name] ?? null) : null), value);
}

function expected(result: Step['result']): Json {
  const { managedFields, ...rest } = result;
  return sorted(
    isJsonArray(managedFields) ? { ...rest, managedFields: canonicalManagedFields(managedFields) } : rest,
  );
}

function only(result: Step['result'], observed: Record<string, Json>): Json {
  return sorted(Object.fromEntries(Object.keys(result).map((name) => [name, observed[name] ?? null])));
}

async function replay(transport: Transport, golden: GoldenCase): Promise<void> {
  const { collection, name } = subject(golden);
  for (const [index, step] of golden.steps.entries()) {
    const where = `step ${index + 1}, ${step.op} by ${step.manager}`;
    const answer = await send(transport, collection, name, step);
    if (step.result['status'] !== undefined) {
      const { reason = null, message = null } = answer.body;
      expect({ status: answer.status, reason, message }, where).toEqual(step.result);
      continue;
    }
    expect([answer.status, answer.body['message']], where).toEqual([index === 0 ? 201 : 200, undefined]);
    const after = await call(transport, 'GET', `${collection}/${name}`);
    expect(only(step.result, observe(after.body)), where).toEqual(expected(step.result));
  }
}

/** Every recorded case of `goldens/ownership.json`, replayed: the same `managedFields`, values and refusals. */
export function ownershipGoldens(server: () => TestServer): void {
  beforeAll(async () => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
    const transport = server().transport();
    await call(transport, 'POST', '/api/v1/namespaces', namespace);
    await transport.close();
  });
  afterAll(async () => {
    const transport = server().transport();
    for (const golden of goldens.cases) {
      const { collection, name } = subject(golden);
      const finalizers = [{ op: 'add', path: '/metadata/finalizers', value: [] }];
      await call(transport, 'PATCH', `${collection}/${name}`, finalizers, PATCH.json);
      await call(transport, 'DELETE', `${collection}/${name}`);
    }
    await transport.close();
  });
  for (const golden of goldens.cases) {
    test(`${golden.id}: ${golden.note}`, async () => {
      const transport = server().transport();
      await replay(transport, golden).finally(() => {
        void transport.close();
      });
    });
  }
}
