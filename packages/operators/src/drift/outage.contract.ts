import type { ApiError } from '@kubewright/client';
import { corev1, type Transport } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { NAMESPACE } from '../kit/install-objects.ts';
import { useOperator } from '../kit/testing/use-operator.ts';
import { ANNOTATIONS, KAUSALITIES } from './api.ts';
import { driftParts } from './controller.ts';
import { BASE } from './policy/webhook-entries.ts';
import { createPolicy } from './testing/drift-stage.ts';
import { annotationsOf } from './testing/annotations-of.ts';

/** What happens to writes while no replica of the operator runs. */
export function outageContract(transport: () => Transport): void {
  describe('drift that is down', () => {
    const operator = useOperator(transport, driftParts);
    const { namespace } = operator;
    const logged = `${namespace}-log`;
    let names = 0;

    const write = (where: string): Promise<corev1.ConfigMap> =>
      operator.admin.create(corev1.configmaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace: where, name: `${namespace}-${(names += 1)}` },
      });
    const isTraced = (map: corev1.ConfigMap): boolean =>
      annotationsOf(map)[ANNOTATIONS.updaters] !== undefined;
    /** A server may call a webhook a moment after it is configured. */
    const isChecked = (where: string): Promise<void> =>
      vi.waitFor(async () => expect(isTraced(await write(where))).toBe(true), { timeout: 30_000 });

    beforeAll(async () => {
      const metadata = { name: logged };
      await operator.admin.create(corev1.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata,
        spec: {},
      });
      // Not even a policy that names the operator's own namespace covers it.
      const enforced = { names: [namespace, NAMESPACE] };
      await createPolicy(operator.admin, namespace, { mode: 'enforce', namespaces: enforced });
      await createPolicy(operator.admin, logged, { mode: 'log', namespaces: { names: [logged] } });
      for (const where of [namespace, logged]) await isChecked(where);
      await operator.stop();
    });
    afterAll(async () => {
      for (const name of [namespace, logged]) await operator.admin.delete(KAUSALITIES, { name });
      await operator.admin.delete(corev1.namespaces, { name: logged });
    });

    test('DRF-74 writes of mode log go through', async () => {
      expect(isTraced(await write(logged))).toBe(false);
    });

    test('DRF-74 writes of mode enforce fail, and the message names the policy and what to do', async () => {
      const error: unknown = await write(namespace).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 500 });
      const { message } = error as ApiError;
      expect(message).toContain(`failed calling webhook "${namespace}.${BASE}"`);
      expect(message).toContain('/drift/if-it-is-down-run/kubewright-drift-doctor');
    });

    test("DRF-74 the operator's own namespace works, so it can be started again: then all is checked as before", async () => {
      expect(isTraced(await write(NAMESPACE))).toBe(false);
      await operator.restart();
      for (const where of [namespace, logged]) await isChecked(where);
    });
  });
}
