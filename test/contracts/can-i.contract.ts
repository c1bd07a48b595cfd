import { readFileSync } from 'node:fs';
import type { JsonObject } from '@kubewright/kube';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { findKubectl, findServers } from '../../tools/assets/find.mjs';
import { startControllerManager } from '../servers/controller-manager.ts';
import type { TestServer } from '../servers/test-server.ts';
import { call } from '../support/api.ts';
import { type CommandResult, runSession } from '../support/kubectl-session.ts';

/** A question to `kubectl auth can-i`, the line that answers it, and what goes to the other stream. */
type Case = {
  readonly about: string;
  readonly args: string;
  readonly answer: string;
  readonly err?: string;
  /** The exit code; default 0 for yes and 1 for no. */
  readonly rc?: number;
};

const table = JSON.parse(readFileSync(new URL('../../goldens/can-i.json', import.meta.url), 'utf8')) as {
  readonly setup: readonly JsonObject[];
  readonly cases: readonly Case[];
};

const RBAC = '/apis/rbac.authorization.k8s.io/v1';

function pathOf(object: JsonObject): string {
  const { namespace } = object['metadata'] as { namespace?: string };
  const kind = object['kind'] as string;
  if (kind === 'Namespace') return '/api/v1/namespaces';
  const resource = `${kind.toLowerCase()}s`;
  return namespace === undefined ? `${RBAC}/${resource}` : `${RBAC}/namespaces/${namespace}/${resource}`;
}

async function rulesOf(server: TestServer, role: string): Promise<number> {
  const { body } = await call(server.transport(), 'GET', `${RBAC}/clusterroles/${role}`);
  return ((body['rules'] ?? []) as unknown[]).length;
}

/** Roles and bindings, and what kubectl says that users may do by them. */
export function canIContract(server: () => TestServer): void {
  let results: readonly CommandResult[] = [];
  let stop: (() => Promise<void>) | undefined;

  beforeAll(async () => {
    const kubectl = findKubectl() ?? '';
    if (server().name === 'real') {
      // The embedded server aggregates roles itself.
      const controllers = ['clusterrole-aggregation-controller'];
      stop = startControllerManager(findServers() ?? '', server().kubeconfigPath, controllers);
    }
    for (const object of table.setup) {
      const { status, body } = await call(server().transport(), 'POST', pathOf(object), object);
      expect(status, JSON.stringify(body)).toBe(201);
    }
    for (const role of ['can-i-sum', 'view', 'edit']) {
      await vi.waitFor(async () => expect(await rulesOf(server(), role)).toBeGreaterThan(1), 30_000);
    }
    const steps = table.cases.map(({ args }) => `auth can-i ${args}`).join('\n%%\n');
    results = await runSession(kubectl, server().kubeconfigPath, steps);
  });

  afterAll(async () => {
    await stop?.();
  });

  test.each(table.cases.map((row, index) => ({ ...row, index })))('$about', ({ index, ...row }) => {
    const { args, answer, err = '', rc = answer === 'yes' ? 0 : 1 } = row;
    const out = answer === '' ? '' : `${answer}\n`;
    expect(results[index]).toEqual({ cmd: `auth can-i ${args}`, rc, out, err });
  });
}
