import type { JsonObject, Transport } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admissionSuite, RULE } from '../../support/admission.ts';
import { type Answer, PATCH } from '../../support/api.ts';
import { at } from '../../support/at.ts';
import { patchOf } from '../../support/webhook-server.ts';
import { widget, widgetsOf } from './widgets.ts';

type Server = { transport(): Transport };

const ANNOTATE = patchOf([{ op: 'add', path: '/metadata/annotations', value: { hooked: 'yes' } }]);

/** Which writes count as a new generation, and what a write of status keeps. */
export function whatCountsContract(server: () => Server): void {
  const suite = admissionSuite(server, `counts-${process.pid}`);
  const { namespace, call, register } = suite;
  const widgets = widgetsOf(suite);
  const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  const generation = ({ body }: Answer): unknown => at(body, 'metadata', 'generation');

  beforeAll(() => widgets.define());
  afterAll(() => widgets.remove());

  const makeDeployment = async (name: string): Promise<string> => {
    const labels = { app: name };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } };
    const spec = { selector: { matchLabels: labels }, template };
    await call('POST', deployments, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec });
    return `${deployments}/${name}`;
  };

  describe('the generation', () => {
    test('of a custom resource follows all but metadata and status', async () => {
      const made = await call('POST', widgets.path, widget(widgets.group, 'counted'));
      const patch = (body: JsonObject, subresource = ''): Promise<Answer> =>
        call('PATCH', `${widgets.path}/counted${subresource}`, body, PATCH.merge);
      expect(generation(made)).toBe(1);
      expect(generation(await patch({ metadata: { annotations: { a: 'b' }, labels: { a: 'b' } } }))).toBe(1);
      expect(generation(await patch({ status: { size: 1 } }, '/status'))).toBe(1);
      expect(generation(await patch({ status: { size: 2 } }))).toBe(1);
      expect(generation(await patch({ extra: { size: 1 } }))).toBe(2);
      expect(generation(await patch({ spec: { size: 2 } }))).toBe(3);
    });

    test('of a Deployment follows spec and annotations', async () => {
      const path = await makeDeployment('counted');
      const patch = (body: JsonObject): Promise<Answer> => call('PATCH', path, body, PATCH.merge);
      expect(generation(await patch({ metadata: { labels: { a: 'b' } } }))).toBe(1);
      expect(generation(await patch({ metadata: { annotations: { a: 'b' } } }))).toBe(2);
      expect(generation(await patch({ spec: { replicas: 2 } }))).toBe(3);
    });
  });

  describe('a write of status', () => {
    test('of a custom resource keeps no metadata, not even what a webhook adds', async () => {
      await call('POST', widgets.path, widget(widgets.group, 'told'));
      await register('mutating', {
        answering: () => ANNOTATE,
        with: { rules: [{ ...RULE, apiGroups: [widgets.group], resources: ['widgets/status'] }] },
      });
      const body = { metadata: { labels: { a: 'b' } }, spec: { size: 9 }, status: { size: 7 } };
      const { body: after } = await call(
        'PATCH',
        `${widgets.path}/told/status?fieldManager=teller`,
        body,
        PATCH.merge,
      );
      expect(at(after, 'metadata', 'annotations')).toBeUndefined();
      expect(at(after, 'metadata', 'labels')).toBeUndefined();
      expect([at(after, 'spec', 'size'), at(after, 'status', 'size')]).toEqual([1, 7]);
      const managers = at(after, 'metadata', 'managedFields') as JsonObject[];
      expect(managers.map((entry) => [entry['manager'], entry['subresource']])).toContainEqual([
        'teller',
        'status',
      ]);
    });

    test('of a Deployment keeps the annotations that a webhook adds, without counting', async () => {
      const path = await makeDeployment('told');
      await register('mutating', {
        answering: () => ANNOTATE,
        with: { rules: [{ ...RULE, apiGroups: ['apps'], resources: ['deployments/status'] }] },
      });
      const body = {
        metadata: { labels: { a: 'b' } },
        spec: { replicas: 9 },
        status: { observedGeneration: 1 },
      };
      const told = await call('PATCH', `${path}/status`, body, PATCH.merge);
      expect(at(told.body, 'metadata', 'annotations')).toEqual({ hooked: 'yes' });
      expect(at(told.body, 'metadata', 'labels')).toBeUndefined();
      expect([at(told.body, 'spec', 'replicas'), generation(told)]).toEqual([1, 1]);
      expect(at(told.body, 'status', 'observedGeneration')).toBe(1);
    });
  });
}
