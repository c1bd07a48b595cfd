import type { JsonObject, KubeObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { valueAt } from '../kit/testing/value-at.ts';
import { fieldsOf } from './testing/objects.ts';
import { type ServerUnderTest, useArena } from './testing/server-under-test.ts';

const AUTOSCALERS = { apiGroups: ['autoscaling'], resources: ['horizontalpodautoscalers'] };

/** Ownership at another version than that of the manifest, on any server. */
export function versionsContract(server: () => ServerUnderTest): void {
  describe('ownership at another version', () => {
    const arena = useArena(server, AUTOSCALERS);
    const metrics = [
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } },
      },
    ];
    const autoscaler = (name: string, version: 'v1' | 'v2', more: JsonObject = {}): KubeObject => {
      const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
      return {
        apiVersion: `autoscaling/${version}`,
        kind: 'HorizontalPodAutoscaler',
        metadata: { name },
        spec: { scaleTargetRef, maxReplicas: 5, ...more },
      };
    };

    async function prepared(name: string): Promise<void> {
      await arena.create(autoscaler(name, 'v1', { targetCPUUtilizationPercentage: 60 }), 'legacy');
      await arena.apply(autoscaler(name, 'v2', { metrics }), 'eno');
      arena.writes();
    }

    test('OWN-T47 a field that an entry at another version keeps blocks its removal, and no foreign path is taken', async () => {
      await prepared('t47');

      const { state } = await arena.reconcile(autoscaler('t47', 'v2'));

      expect(state).toMatchObject({
        reconciled: false,
        ownership: { state: 'Blocked', reason: 'OtherVersion', managers: ['legacy (Update)'] },
      });
      expect(state.reconciliationError).toContain('.spec.metrics: owned by legacy (Update)');
      const after = await arena.get(autoscaler('t47', 'v2'));
      expect(valueAt(after, 'spec.metrics.0.resource.target.averageUtilization')).toBe(60);
      const ours = JSON.stringify(fieldsOf(after, 'eno', 'Apply'));
      expect(ours).toContain('f:metrics');
      expect(ours).not.toContain('targetCPU');
      expect(arena.writes().filter((write) => write.includes('/t47'))).toEqual([]);
    });

    test('OWN-T47 a field that another version has under the same path is removed', async () => {
      const labels = { tier: 'web' };
      const labelled = (version: 'v1' | 'v2', more: JsonObject = {}): KubeObject => {
        const object = autoscaler('t47c', version, more);
        return { ...object, metadata: { ...object.metadata, labels } };
      };
      const older = { targetCPUUtilizationPercentage: 60, minReplicas: 2 };
      await arena.create(labelled('v1', older), 'legacy');
      await arena.apply(labelled('v2', { minReplicas: 2 }), 'eno');

      const { state } = await arena.reconcile(autoscaler('t47c', 'v2'));

      expect(state).toMatchObject({
        reconciled: true,
        ownership: { state: 'Moved', managers: ['legacy (Update)'] },
      });
      const after = await arena.get(autoscaler('t47c', 'v2'));
      expect(after.metadata.labels).toBeUndefined();
      expect(valueAt(after, 'spec.minReplicas')).toBe(1);
      expect(valueAt(after, 'spec.metrics.0.resource.target.averageUtilization')).toBe(60);
      expect(JSON.stringify(fieldsOf(after, 'eno', 'Apply'))).not.toContain('targetCPU');
      expect(JSON.stringify(fieldsOf(after, 'legacy', 'Update'))).toContain('targetCPU');
    });

    test('OWN-T47 without that, the server keeps the field, and nobody would know', async () => {
      await prepared('t47b');
      const after = await arena.apply(autoscaler('t47b', 'v2'), 'eno');
      expect(valueAt(after, 'spec.metrics.0.resource.target.averageUtilization')).toBe(60);
      expect(JSON.stringify(fieldsOf(after, 'eno', 'Apply'))).not.toContain('f:metrics');
    });
  });
}
