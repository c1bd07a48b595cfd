import { createClient } from '@kubewright/client';
import { admissionregistrationv1, jsonEqual, type Transport } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { configMap } from '../../packages/operators/src/ownership/testing/objects.ts';
import { useArena } from '../../packages/operators/src/ownership/testing/server-under-test.ts';
import { describeServers } from '../servers/describe-servers.ts';
import { at } from '../support/at.ts';
import { startWebhookServer, type WebhookServer } from '../support/webhook-server.ts';

const CONFIGURATIONS = admissionregistrationv1.validatingwebhookconfigurations;

/** An admission webhook that allows everything but rewrites of `managedFields`. */
function deniedRewrites(server: () => { transport(): Transport }): void {
  const arena = useArena(server);
  const metadata = { name: `denied-${arena.namespace}` };
  const policy = { mode: 'adopt' } as const;
  let hooks: WebhookServer | undefined;

  beforeAll(async () => {
    hooks = await startWebhookServer();
    const { path } = hooks.answer((request) => {
      const [before, after] = ['oldObject', 'object'].map((name) => at(request, name, 'data') ?? {});
      const isRewrite = request['dryRun'] !== true && jsonEqual(before ?? {}, after ?? {});
      return isRewrite ? { allowed: false, status: { code: 403, message: 'not today' } } : { allowed: true };
    });
    const { port, caBundle } = hooks;
    const webhook = {
      name: 'denied.example.com',
      clientConfig: { url: `https://127.0.0.1:${port}${path}`, caBundle },
      rules: [{ operations: ['UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': arena.namespace } },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    } as const;
    await arena.client.create(CONFIGURATIONS, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata,
      webhooks: [webhook],
    });
    const probe = await arena.create(configMap('probe'), 'helm');
    await vi.waitFor(() => expect(arena.rewrite(probe, [{}])).rejects.toThrow('not today'), {
      timeout: 30_000,
    });
  });
  afterAll(async () => {
    if (hooks === undefined) return;
    const transport = server().transport();
    await createClient(transport).delete(CONFIGURATIONS, metadata);
    await transport.close();
    await hooks.stop();
  });

  describe('a rewrite that admission denies', () => {
    test('OWN-T44 is reported once, and the manifest is applied where it does without', async () => {
      await arena.create(configMap('optional', { a: '1' }), 'helm');

      const first = await arena.reconcile(configMap('optional', { a: '2' }), policy);

      expect(first.state).toMatchObject({
        reconciled: true,
        ownership: { state: 'Blocked', reason: 'Rejected', message: expect.stringContaining('not today') },
      });
      expect(first.events).toMatchObject([{ type: 'Warning', reason: 'OwnershipBlocked' }]);
      expect(await arena.get(configMap('optional'))).toMatchObject({ data: { a: '2' } });

      const second = await arena.reconcile(configMap('optional', { a: '2', b: '1' }), policy, first.state);
      expect(second).toMatchObject({ state: { ownership: first.state.ownership }, events: [] });
      expect(await arena.get(configMap('optional'))).toMatchObject({ data: { a: '2', b: '1' } });
    });

    test('OWN-T44 is an error, once, where a removal needs it, and nothing is applied', async () => {
      await arena.create(configMap('needed', { a: '1', b: '1' }), 'helm');
      const before = await arena.reconcile(configMap('needed', { a: '2', b: '1' }));

      const first = await arena.reconcile(configMap('needed', { a: '3' }), {}, before.state);

      expect(first.state).toMatchObject({
        reconciled: false,
        reconciliationError: expect.stringContaining('not today'),
      });
      expect(first.events.filter(({ type }) => type === 'Warning')).toHaveLength(1);
      expect((await arena.get(configMap('needed')))['data']).toEqual({ a: '2', b: '1' });
      const second = await arena.reconcile(configMap('needed', { a: '3' }), {}, first.state);
      expect(second.events.filter(({ type }) => type === 'Warning')).toEqual([]);
    });
  });
}

describeServers('operator ownership and admission', deniedRewrites);
