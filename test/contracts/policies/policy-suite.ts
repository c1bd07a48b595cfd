import assert from 'node:assert/strict';
import type { JsonObject, Transport } from '@kubewright/kube';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import { type Answer, call } from '../../support/api.ts';

export type Server = { readonly name: string; transport(): Transport };

/** A namespace for tests of admission policies. */
export type PolicySuite = {
  readonly namespace: string;
  /** Path of the namespace's ConfigMaps. */
  readonly maps: string;
  readonly call: (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: JsonObject,
    type?: string,
  ) => Promise<Answer>;
  /** A new ConfigMap's manifest. */
  readonly map: (name: string, fields?: JsonObject) => JsonObject;
  /** A policy about all writes of the namespace's ConfigMaps, and a binding that denies, until the test ends. */
  readonly bind: (spec: JsonObject, binding?: JsonObject) => Promise<string>;
};

export const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
export const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
export const RULE = { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };

/** Registers the namespace around the tests. `id` keeps its objects apart from those of other suites. */
export function policySuite(server: () => Server, id: string): PolicySuite {
  const made: string[] = [];
  const bound: (readonly [name: string, probe: string])[] = [];
  let count = 0;
  const maps = `/api/v1/namespaces/${id}/configmaps`;
  const send: PolicySuite['call'] = (method, path, body, type) =>
    call(server().transport(), method, path, body, type);

  async function create(path: string, body: JsonObject): Promise<void> {
    const answer = await send('POST', path, body);
    assert(answer.status === 201, JSON.stringify(answer.body));
    made.push(`${path}/${(body['metadata'] as { name: string }).name}`);
  }

  beforeAll(async () => {
    await send('POST', '/api/v1/namespaces', { metadata: { name: id, labels: { team: 'shop' } } });
  });

  /** Whether the policy of this name has its say now: it alone says something of its probe. */
  async function isAsked(name: string, probe: string): Promise<boolean> {
    const answer = await send('POST', `${maps}?dryRun=All`, {
      metadata: { name: probe, labels: { probe: 'yes' } },
    });
    return [messageOf(answer), ...answer.warnings].some((text) => text.includes(`'${name}'`));
  }

  afterEach(async () => {
    for (const path of made.splice(0).toReversed()) await send('DELETE', path);
    for (const [name, probe] of bound.splice(0))
      await vi.waitFor(async () => assert(!(await isAsked(name, probe))), 60_000);
  });

  afterAll(async () => {
    await send('DELETE', `/api/v1/namespaces/${id}`);
  });

  return {
    namespace: id,
    maps,
    call: send,
    map: (name, fields = {}) => {
      const metadata = { name, ...(fields['metadata'] as JsonObject | undefined) };
      return { apiVersion: 'v1', kind: 'ConfigMap', ...fields, metadata };
    },
    async bind(spec, binding = {}) {
      const name = `${id}-${(count += 1)}`;
      const probe = `probe-${count}`;
      const { matchConstraints, validations, ...rest } = spec;
      const own = {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': id } },
        resourceRules: [RULE],
      };
      await create(POLICIES, {
        metadata: { name },
        spec: {
          ...rest,
          matchConstraints: { ...own, ...(matchConstraints as JsonObject | undefined) },
          validations: [
            ...((validations as readonly JsonObject[] | undefined) ?? []),
            { expression: `request.name != "${probe}"`, message: 'probe' },
          ],
        },
      });
      await create(BINDINGS, {
        metadata: { name },
        spec: { policyName: name, validationActions: ['Deny'], ...binding },
      });
      bound.push([name, probe]);
      // kube-apiserver reads policies once a second.
      await vi.waitFor(async () => assert(await isAsked(name, probe)), 60_000);
      return name;
    },
  };
}

/** The message of an answer; empty where it has none. */
export function messageOf({ body }: Pick<Answer, 'body'>): string {
  const { message } = body;
  return typeof message === 'string' ? message : '';
}
