import type { JsonObject } from '@kubewright/kube';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { type HttpsAnswer, httpsCall } from '../support/https-call.ts';
import {
  apiService,
  becomes,
  DEADLINE,
  makeService,
  NAMESPACE,
  SERVICES,
  type Server,
  send,
} from './aggregation-calls.ts';

/** APIServices: those of the server itself, those that are refused, and those that nobody answers for. */
export function apiServicesContract(server: Server): void {
  localContract(server);
  validationContract(server);
  unavailableContract(server);
}

/** Groups of the server, in the order in which discovery lists them. */
const BY_PRIORITY: readonly string[] = [
  'apiregistration.k8s.io',
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'autoscaling',
  'batch',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'storage.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'scheduling.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'discovery.k8s.io',
];

function localContract(server: Server): void {
  describe('an APIService', () => {
    test.each([
      ['v1.', { version: 'v1', groupPriorityMinimum: 18000, versionPriority: 1 }],
      ['v1.apps', { group: 'apps', version: 'v1', groupPriorityMinimum: 17800, versionPriority: 15 }],
      ['v1.batch', { group: 'batch', version: 'v1', groupPriorityMinimum: 17400, versionPriority: 15 }],
      [
        'v2.autoscaling',
        { group: 'autoscaling', version: 'v2', groupPriorityMinimum: 17500, versionPriority: 30 },
      ],
      [
        'v1.node.k8s.io',
        { group: 'node.k8s.io', version: 'v1', groupPriorityMinimum: 16300, versionPriority: 15 },
      ],
    ])('%s is there from the start', async (name, spec) => {
      const { body } = await send(server(), 'GET', `${SERVICES}/${name}`);
      expect(body).toMatchObject({
        kind: 'APIService',
        metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
        spec,
        status: {
          conditions: [
            {
              type: 'Available',
              status: 'True',
              reason: 'Local',
              message: 'Local APIServices are always available',
            },
          ],
        },
      });
    });

    test('decides where its group is in discovery: the greatest priority first', async () => {
      const { body } = await send(server(), 'GET', '/apis');
      const { groups } = body as { readonly groups: readonly { readonly name: string }[] };
      const names = groups.map(({ name }) => name);
      expect(names.filter((name) => BY_PRIORITY.includes(name))).toEqual(BY_PRIORITY);
    });

    test('comes with the definition of a resource, comes back, and goes with it', async () => {
      const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      const schema = { openAPIV3Schema: { type: 'object' } };
      const created = await send(server(), 'POST', definitions, {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'pins.own.kubewright.test' },
        spec: {
          group: 'own.kubewright.test',
          scope: 'Namespaced',
          names: { plural: 'pins', kind: 'Pin' },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      });
      expect(created.status).toBe(201);
      const path = `${SERVICES}/v1.own.kubewright.test`;
      const comes = (uid: unknown): Promise<unknown> =>
        vi.waitFor(
          async () => {
            const { status, body } = await send(server(), 'GET', path);
            expect(status).toBe(200);
            const { metadata } = body as { metadata: { uid: string } };
            expect(metadata.uid).not.toBe(uid);
            expect(body).toMatchObject({
              metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'true' } },
              spec: { groupPriorityMinimum: 1000, versionPriority: 100 },
            });
            return metadata.uid;
          },
          { timeout: DEADLINE, interval: 50 },
        );
      const uid = await comes(undefined);
      await send(server(), 'DELETE', path);
      await comes(uid);
      await send(server(), 'DELETE', `${definitions}/pins.own.kubewright.test`);
      await vi.waitFor(async () => expect((await send(server(), 'GET', path)).status).toBe(404), DEADLINE);
    });
  });
}

function validationContract(server: Server): void {
  const service = { namespace: 'a', name: 'b' };
  const of = (spec: JsonObject): JsonObject => apiService('v1.bad.test', spec);
  const prefix = 'APIService.apiregistration.k8s.io "v1.bad.test" is invalid: ';

  test.each([
    [
      'without priorities',
      of({ groupPriorityMinimum: 0, versionPriority: 1001 }),
      `${prefix}[spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000, spec.versionPriority: Invalid value: 1001: must be positive and less than 1000]`,
    ],
    [
      'under another name',
      apiService('v1.bad.test', { group: 'good.test' }),
      `${prefix}metadata.name: Invalid value: "v1.bad.test": must be \`spec.version+"."+spec.group\`: "v1.good.test"`,
    ],
    [
      'of this server with a CA',
      of({ caBundle: 'YWJj', insecureSkipTLSVerify: true }),
      `${prefix}[spec.caBundle: Invalid value: "3 bytes": local APIServices may not have a caBundle, spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify]`,
    ],
    [
      'that is verified and is not',
      of({ service, caBundle: 'YWJj', insecureSkipTLSVerify: true }),
      `${prefix}spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present`,
    ],
    [
      'with an empty service',
      of({ service: { port: 70000 } }),
      `${prefix}[spec.service.namespace: Required value, spec.service.name: Required value, spec.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive]`,
    ],
    [
      'of a group that cannot be',
      apiService('v1.Bad_test', {}),
      "APIService.apiregistration.k8s.io \"v1.Bad_test\" is invalid: spec.group: Invalid value: \"Bad_test\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ])('an APIService %s is refused', async (_, body, message) => {
    expect((await send(server(), 'POST', SERVICES, body)).body).toMatchObject({ code: 422, message });
  });
}

function unavailableContract(server: Server): void {
  describe('an APIService that nobody answers for', () => {
    const get = (group: string): Promise<HttpsAnswer> =>
      httpsCall(server(), 'GET', `/apis/${group}/v1/things`, { token: server().token });
    const made: string[] = [];
    const make = async (name: string, service: JsonObject): Promise<void> => {
      made.push(name);
      const { status } = await send(server(), 'POST', SERVICES, apiService(name, { service }));
      expect(status).toBe(201);
    };
    afterAll(async () => {
      for (const name of made) await send(server(), 'DELETE', `${SERVICES}/${name}`);
    });

    test('waits for its Service, and is unavailable meanwhile', async () => {
      await make('v1.absent.test', { namespace: NAMESPACE, name: 'absent' });
      await becomes(server(), 'v1.absent.test', {
        status: 'False',
        reason: 'ServiceNotFound',
        message: `service/absent in "${NAMESPACE}" is not present`,
      });
      const answer = await vi.waitFor(async () => {
        const got = await get('absent.test');
        expect(got.status).toBe(503);
        return got;
      }, DEADLINE);
      expect(answer.text).toBe('service unavailable\n');
      expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    });

    test('says that its Service does not have the port', async () => {
      const spec = { ports: [{ port: 80 }] };
      await send(server(), 'POST', `/api/v1/namespaces/${NAMESPACE}/services`, {
        metadata: { name: 'other-port' },
        spec,
      });
      await make('v1.port.test', { namespace: NAMESPACE, name: 'other-port', port: 444 });
      await becomes(server(), 'v1.port.test', {
        status: 'False',
        reason: 'ServicePortError',
        message: `service/other-port in "${NAMESPACE}" is not listening on port 444`,
      });
    });

    test('says that nobody can be reached', async () => {
      await makeService(server(), 'closed');
      await make('v1.closed.test', { namespace: NAMESPACE, name: 'closed', port: 1 });
      await becomes(server(), 'v1.closed.test', { status: 'False', reason: 'FailedDiscoveryCheck' });
    });
  });
}
