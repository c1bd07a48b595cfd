import { randomUUID } from 'node:crypto';
import type { JsonObject, KubeObject } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { names } from './testing/objects.ts';
import { refusal, type ServerUnderTest, useArena } from './testing/server-under-test.ts';

const CRDS = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' };

/** A kind of one's own with a list whose items need an image. */
function definition(group: string): KubeObject {
  const step = {
    type: 'object',
    required: ['name', 'image'],
    properties: { name: { type: 'string' }, image: { type: 'string' }, args: { type: 'string' } },
  };
  const steps = {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    items: step,
  };
  const spec = { type: 'object', properties: { steps } };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `pipelines.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'pipelines', singular: 'pipeline', kind: 'Pipeline', listKind: 'PipelineList' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

/** Moving claims on an object of a CustomResourceDefinition, on any server. */
export function customResourceContract(server: () => ServerUnderTest): void {
  describe('ownership migration of custom resources', () => {
    const group = `own-${randomUUID().slice(0, 8)}.example.com`;
    const arena = useArena(server, { apiGroups: [group], resources: ['pipelines'] });
    const pipeline = (name: string, steps?: readonly JsonObject[]): KubeObject => ({
      apiVersion: `${group}/v1`,
      kind: 'Pipeline',
      metadata: { name },
      spec: steps === undefined ? {} : { steps },
    });

    beforeAll(async () => {
      await arena.client.create(CRDS, definition(group));
      await vi.waitFor(async () => expect(await served()).toBe(true), { timeout: 30_000 });
    });
    afterAll(async () => {
      await arena.client.delete(CRDS, { name: `pipelines.${group}` });
    });
    async function served(): Promise<boolean> {
      const list = arena.client.list({
        group,
        version: 'v1',
        resource: 'pipelines',
        kind: 'Pipeline',
        namespaced: true,
      });
      return list.then(() => true).catch(() => false);
    }

    test('OWN-T27 an item of a list map with a required field is removed after a rewrite', async () => {
      const [build, keep] = [
        { name: 'build', image: 'b:1', args: 'x' },
        { name: 'keep', image: 'k:1' },
      ];
      await arena.create(pipeline('t27', [build, keep]), 'legacy');
      await arena.apply(pipeline('t27', [{ name: 'build', image: 'b:2' }, keep]), 'eno');
      const refused = await refusal(arena.apply(pipeline('t27', [keep]), 'eno', true));
      expect(refused.code).toBe(422);

      const result = await arena.reconcile(pipeline('t27', [keep]));

      expect(result.state.ownership).toMatchObject({ state: 'Moved', paths: ['.spec.steps[name="build"]'] });
      expect(names(await arena.get(pipeline('t27')), 'spec.steps')).toEqual(['keep']);
    });
  });
}
