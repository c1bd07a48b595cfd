import type { JsonObject, KubeObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { valueAt } from '../kit/testing/value-at.ts';
import { container, fieldsOf, fieldsWithout, template } from './testing/objects.ts';
import { type ServerUnderTest, useArena } from './testing/server-under-test.ts';

const created = container('base-os-bash', 'b:1', { command: ['sh'] });
const upgraded = container('base-os-bash', 'b:2');

type Workload = {
  readonly kind: string;
  readonly init: string;
  /** The object with these init containers; the name is also the label. */
  readonly make: (name: string, init?: readonly JsonObject[]) => KubeObject;
};

const selected = (name: string, init?: readonly JsonObject[]): JsonObject => ({
  selector: { matchLabels: { app: name } },
  template: template(name, init === undefined ? {} : { init }),
});

const job = (name: string, init?: readonly JsonObject[]): JsonObject => ({
  template: template(name, { ...(init === undefined ? {} : { init }), pod: { restartPolicy: 'Never' } }),
});

const inTemplate = 'spec.template.spec.initContainers';

const WORKLOADS: readonly Workload[] = [
  {
    kind: 'StatefulSet',
    init: inTemplate,
    make: (name, init) => of('apps/v1', 'StatefulSet', name, { serviceName: name, ...selected(name, init) }),
  },
  {
    kind: 'DaemonSet',
    init: inTemplate,
    make: (name, init) => of('apps/v1', 'DaemonSet', name, selected(name, init)),
  },
  {
    kind: 'ReplicaSet',
    init: inTemplate,
    make: (name, init) => of('apps/v1', 'ReplicaSet', name, selected(name, init)),
  },
  {
    kind: 'CronJob',
    init: 'spec.jobTemplate.spec.template.spec.initContainers',
    make: (name, init) =>
      of('batch/v1', 'CronJob', name, { schedule: '0 * * * *', jobTemplate: { spec: job(name, init) } }),
  },
];

function of(apiVersion: string, kind: string, name: string, spec: JsonObject): KubeObject {
  return { apiVersion, kind, metadata: { name }, spec };
}

/** The same removal in every kind that has a pod template, on any server that serves these kinds. */
export function workloadsContract(server: () => ServerUnderTest): void {
  describe('ownership migration of workloads', () => {
    const arena = useArena(server);

    test.each(WORKLOADS.map((workload) => [workload.kind, workload] as const))(
      'OWN-T26 the init container of a %s is removed',
      async (kind, { init, make }) => {
        const name = kind.toLowerCase();
        await arena.create(make(name, [created]), 'Go-http-client');
        const before = await arena.apply(make(name, [upgraded]), 'eno');

        const result = await arena.reconcile(make(name), { mode: 'adopt', scopes: [[init]] });

        const after = await arena.get(make(name));
        expect(result.state).toMatchObject({ reconciled: true, ownership: { state: 'Moved' } });
        expect(valueAt(after, init)).toBeUndefined();
        expect(after.metadata.generation).toBe((before.metadata.generation ?? 0) + 1);
        const path = init.split('.').map((name) => `f:${name}`);
        const outside = fieldsWithout(fieldsOf(before, 'Go-http-client'), path);
        expect(fieldsOf(after, 'Go-http-client')).toEqual(outside);
        arena.writes();
        await arena.reconcile(make(name), {}, result.state);
        expect(arena.writes()).toEqual([]);
      },
    );

    test('OWN-T26 the pod template of a Job is immutable, which is reported without a write', async () => {
      const make = (init?: readonly JsonObject[]): KubeObject =>
        of('batch/v1', 'Job', 'job', job('job', init));
      await arena.create(make([created]), 'Go-http-client');
      await arena.apply(make([container('base-os-bash', 'b:1')]), 'eno');
      arena.writes();

      const result = await arena.reconcile(make());

      expect(result.state).toMatchObject({
        reconciled: false,
        ownership: { state: 'Blocked', reason: 'Immutable' },
      });
      expect(result.state.reconciliationError).toContain('immutable');
      expect(arena.writes()).toEqual([]);
    });
  });
}
