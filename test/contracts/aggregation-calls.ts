import type { Json, JsonObject } from '@kubewright/kube';
import { expect, vi } from 'vitest';
import type { TestServer } from '../servers/test-server.ts';
import { type Answer, call } from '../support/api.ts';

export const NAMESPACE = 'aggregation';
export const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
export const DEADLINE = 60_000;

export type Server = () => TestServer;

/** Asks as an admin. */
export function send(
  server: TestServer,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: Json,
): Promise<Answer> {
  return call(server.transport(), method, path, body);
}

/** The first condition of an APIService. */
export async function conditionOf(server: TestServer, name: string): Promise<JsonObject | undefined> {
  const { body } = await send(server, 'GET', `${SERVICES}/${name}`);
  const [condition] = ((body['status'] as JsonObject | undefined)?.['conditions'] ?? []) as JsonObject[];
  return condition;
}

/** Waits until an APIService is available, or is not, as expected. */
export function becomes(server: TestServer, name: string, expected: JsonObject): Promise<void> {
  return vi.waitFor(
    async () => expect(await conditionOf(server, name)).toMatchObject({ type: 'Available', ...expected }),
    { timeout: DEADLINE, interval: 50 },
  );
}

export function apiService(name: string, spec: JsonObject): JsonObject {
  const [version = '', ...group] = name.split('.');
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name },
    spec: { group: group.join('.'), version, groupPriorityMinimum: 2000, versionPriority: 10, ...spec },
  };
}

/** A Service that leads to this machine. */
export async function makeService(server: TestServer, name: string): Promise<void> {
  const spec = { type: 'ExternalName', externalName: 'localhost' };
  await send(server, 'POST', `/api/v1/namespaces/${NAMESPACE}/services`, { metadata: { name }, spec });
}
