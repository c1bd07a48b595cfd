import { randomUUID } from 'node:crypto';
import { createClient, isNotFound, type ObjectKey } from '@kubewright/client';
import { apiextensionsv1, coordinationv1, corev1, customResource, s, type Transport } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { watchKind } from '../controller/source.ts';
import { type LogFields, silentLogger } from '../log/logger.ts';
import { applyObject } from '../objects/apply-object.ts';
import { waitForObject } from '../objects/wait-for-object.ts';
import { createManager } from './create-manager.ts';
import type { ManagerOptions } from './manager.ts';

/** The part of a server under test that this suite uses; the repository's `TestServer` is one. */
type ServerUnderTest = { readonly kubeconfigPath: string; transport(): Transport };

const log = silentLogger;

/** What one call of `createManager` makes, on any API server. */
export function createManagerContract(server: () => ServerUnderTest): void {
  describe('a manager in one call', () => {
    const namespace = `manager-${randomUUID().slice(0, 8)}`;
    const tasks = customResource({
      group: `${namespace}.example.com`,
      version: 'v1',
      kind: 'Task',
      plural: 'tasks',
      scope: 'Namespaced',
      schema: s.object({ spec: s.object({ text: s.string() }) }),
    });
    const name = 'task-operator';
    const lease: ObjectKey = { namespace, name };
    let transport: Transport;
    const at = (task: string) => ({ namespace, name: task });
    const task = (of: string) => ({
      apiVersion: `${tasks.group}/v1`,
      kind: 'Task',
      metadata: at(of),
      spec: { text: of },
    });
    const client = () => createClient(transport);

    beforeAll(async () => {
      transport = server().transport();
      const metadata = { name: namespace };
      await client().create(corev1.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata, spec: {} });
    });
    afterAll(async () => {
      const definition = { name: tasks.definition.metadata.name ?? '' };
      await client().delete(apiextensionsv1.customresourcedefinitions, definition);
      await client().deleteAll(coordinationv1.leases, { namespace });
      await client().delete(corev1.namespaces, { name: namespace });
      await transport.close();
    });

    /** A replica that copies each Task's text to a ConfigMap of its name. */
    function begin(options: Partial<ManagerOptions> = {}) {
      let open: (port: number) => void = () => undefined;
      const port = new Promise<number>((resolve) => (open = resolve));
      const manager = createManager({
        name,
        definitions: [tasks.definition],
        election: { namespace },
        health: { port: 0, host: '127.0.0.1', onListening: (found) => open(found) },
        log,
        ...options,
      });
      manager.addController({
        name: 'tasks',
        sources: [watchKind(tasks, { cached: { namespace } })],
        reconciler: {
          async reconcile(request) {
            const found = manager.cache.get(tasks, request);
            if (found === undefined) return {};
            const metadata = { namespace, name: request.name };
            const data = { text: found.spec.text };
            const wanted = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data } as const;
            await applyObject(manager, corev1.configmaps, wanted, { fieldManager: name });
            return {};
          },
        },
      });
      const stop = new AbortController();
      return { manager, stop, port, ended: manager.start(stop.signal) };
    }

    it('finds the server by its kubeconfig, defines, leads, reconciles and answers probes', async () => {
      const { manager, stop, port, ended } = begin({ kubeconfig: server().kubeconfigPath });
      await manager.cache.waitForSync();
      await client().create(tasks, task('one'));
      const copy = await waitForObject(client(), corev1.configmaps, at('one'), (map) => map !== undefined);
      expect(copy?.data).toEqual({ text: 'one' });
      const { metadata } = await client().get(apiextensionsv1.customresourcedefinitions, {
        name: tasks.definition.metadata.name ?? '',
      });
      expect(metadata.managedFields?.map(({ manager: owner }) => owner)).toContain(name);
      const probe = await fetch(`http://127.0.0.1:${await port}/readyz`);
      expect([probe.status, await probe.text()]).toEqual([200, 'ok\n']);
      expect(await manager.registry.metrics()).toMatch(/rest_client_requests_total\{code="200",method="GET"/);
      stop.abort();
      await ended;
      // The Lease is free at once.
      const { spec } = await client().get(coordinationv1.leases, lease);
      expect(spec?.holderIdentity ?? '').toBe('');
    });

    it('names the program in what it writes', async () => {
      const manager = createManager({ name, transport, log });
      const created = await manager.client.create(tasks, task('named'));
      expect(created.metadata.managedFields?.map((entry) => entry.manager)).toEqual([name]);
    });

    it('logs what the server warns of, once', async () => {
      const warnings: unknown[] = [];
      const warn = (_message: string, fields?: LogFields) => void warnings.push(fields?.['warning']);
      const manager = createManager({ name, transport, log: { ...silentLogger, warn } });
      for (const one of ['first', 'second']) {
        const { spec, ...rest } = task(one);
        await manager.client.create(tasks, { ...rest, spec: { ...spec, txet: 'misspelt' } as typeof spec });
      }
      expect(warnings).toEqual(['unknown field "spec.txet"']);
    });

    it('requires no Lease without an election', () => {
      expect(() => createManager({ name, transport, log }).requireLease('the message')).not.toThrow();
    });

    it('closes the connections that it opened', async () => {
      const manager = createManager({ name, kubeconfig: server().kubeconfigPath, log });
      const stop = new AbortController();
      const ended = manager.start(stop.signal);
      await manager.client.get(corev1.namespaces, { name: namespace });
      stop.abort();
      await ended;
      // A write: a read would be tried again for a while.
      await expect(manager.client.create(tasks, task('late'))).rejects.toThrow('the transport is closed');
    });

    it('stands by over a transport that is not its own, and writes nothing there', async () => {
      const first = begin({ transport });
      await waitForObject(client(), coordinationv1.leases, lease, (found) =>
        Boolean(found?.spec?.holderIdentity),
      );
      const second = begin({ transport });
      await second.manager.cache.waitForSync();
      const write = second.manager.client.create(tasks, task('never'));
      await expect(write).rejects.toMatchObject({ code: 'NotLeading' });
      expect(() => second.manager.requireLease('the message')).toThrow(
        'the message was not sent: this process does not hold its Lease',
      );
      expect(() => first.manager.requireLease('the message')).not.toThrow();
      for (const { stop } of [second, first]) stop.abort();
      await Promise.all([first.ended, second.ended]);
      const never: unknown = await client()
        .get(tasks, at('never'))
        .catch((error: unknown) => error);
      expect(isNotFound(never)).toBe(true);
    });
  });
}
