import { randomUUID } from 'node:crypto';
import { type ApiError, type Client, isForbidden, keyOf, withImpersonation } from '@kubewright/client';
import {
  appsv1,
  autoscalingv2,
  controllerOf,
  corev1,
  type KubeObject,
  type Transport,
} from '@kubewright/kube';
import { Registry, waitForObject } from '@kubewright/runtime';
import { beforeAll, describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { userHash } from './annotations/user-hash.ts';
import { ANNOTATIONS, type Hop } from './api.ts';
import { approve } from './commands/approve.ts';
import { driftParts } from './controller.ts';
import { commandStage, createPolicy } from './testing/drift-stage.ts';
import { annotationsOf } from './testing/annotations-of.ts';

const ALICE = { username: 'alice', groups: ['system:masters'] };
const CONTROLLER = {
  username: 'system:serviceaccount:kube-system:deployment-controller',
  groups: ['system:masters'],
};
const AUTOSCALER = 'system:serviceaccount:kube-system:horizontal-pod-autoscaler';
const REPLICASETS = 'system:serviceaccount:kube-system:replicaset-controller';
/** What people have written on the Deployment, about other objects than those that it owns. */
const FOR_PEOPLE = {
  'kausality.io/trace-ticket': 'J-1',
  [ANNOTATIONS.rejections]: '[{"apiVersion":"v1","kind":"Secret","name":"none"}]',
  [ANNOTATIONS.freeze]: 'false',
};
const LABELS = { app: 'web' };
const PATIENCE = { timeoutMs: 120_000 };

function isSettled({ status = {}, metadata }: appsv1.Deployment, replicas: number): boolean {
  const counts = [status.replicas, status.updatedReplicas, status.availableReplicas];
  const isComplete = status.conditions?.some(({ reason }) => reason === 'NewReplicaSetAvailable') ?? false;
  return (
    status.observedGeneration === metadata.generation &&
    isComplete &&
    counts.every((each) => each === replicas)
  );
}

const hopsOf = (object: KubeObject | undefined): readonly Hop[] =>
  JSON.parse(annotationsOf(object)[ANNOTATIONS.trace] ?? '[]') as readonly Hop[];

const imageOf = ({ spec }: appsv1.Deployment): string | undefined =>
  spec?.template.spec?.containers[0]?.image;

/** Everything that a Deployment's controller does in a day, with drift denied: none of it is. */
export function rolloutsContract(transport: () => Transport): void {
  describe('drift and rollouts', () => {
    const registry = new Registry();
    const operator = useOperator(transport, driftParts, { registry });
    const namespace = `rollouts-${randomUUID().slice(0, 8)}`;
    const web = { namespace, name: 'web' };
    let alice: Client;

    /** How often a decision with this reason was made. */
    const count = async (reason: string): Promise<number> => {
      const line = new RegExp(
        `^kubewright_decisions_total\\{controller="drift",reason="${reason}"\\} (\\d+)`,
        'm',
      );
      return Number(line.exec(await registry.metrics())?.[1] ?? 0);
    };
    const denials = async (): Promise<number> =>
      (await count('Drift')) +
      (await count('Frozen')) +
      (await count('Rejected')) +
      (await count('MayNotApprove'));
    const settled = (replicas: number, image: string) =>
      waitForObject(
        alice,
        appsv1.deployments,
        web,
        (live) => live !== undefined && imageOf(live) === image && isSettled(live, replicas),
        PATIENCE,
      );
    const template = (image: string) => ({
      spec: { template: { spec: { containers: [{ name: 'web', image }] } } },
    });
    const change = (image: string) =>
      alice.patch(appsv1.deployments, web, { type: 'strategic', body: template(image) });
    const newest = async () => {
      const { items } = await alice.list(appsv1.replicasets, { namespace });
      const [set] = items.filter(({ spec }) => (spec?.replicas ?? 0) > 0);
      if (set === undefined) throw new TypeError('no ReplicaSet has pods');
      return set;
    };
    const traceOf = async (): Promise<readonly Hop[]> => hopsOf(await newest());

    /** The Deployment's trace is recorded a moment after the write of its scale; its ReplicaSet's begins with it. */
    const tracedTo = async (user: string): Promise<void> => {
      const live = await waitForObject(
        alice,
        appsv1.deployments,
        web,
        (live) => annotationsOf(live)[ANNOTATIONS.trace]?.includes(`"user":"${user}"`) ?? false,
        PATIENCE,
      );
      expect(hopsOf(live)).toMatchObject([{ kind: 'Deployment', name: 'web', user }]);
      expect(await traceOf()).toMatchObject([
        { kind: 'Deployment', name: 'web', user },
        { kind: 'ReplicaSet', user: CONTROLLER.username },
      ]);
    };

    beforeAll(async () => {
      alice = operator.as(ALICE);
      await createPolicy(operator.admin, namespace, {
        mode: 'enforce',
        namespaces: { names: [namespace] },
        resources: [
          { apiGroups: ['apps'], resources: ['*'] },
          { apiGroups: [''], resources: ['*'], excluded: ['events'] },
        ],
      });
      await alice.create(corev1.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace },
        spec: {},
      });
    });

    test('DRF-36 DRF-38 DRF-46 DRF-80 ten replicas roll out, with the trace on each ReplicaSet, and nothing is denied', async () => {
      await alice.create(appsv1.deployments, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { ...web, annotations: FOR_PEOPLE },
        spec: {
          replicas: 10,
          revisionHistoryLimit: 1,
          selector: { matchLabels: LABELS },
          template: { metadata: { labels: LABELS }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
        },
      });
      await settled(10, 'web:1');
      await change('web:2');
      await settled(10, 'web:2');
      expect(await traceOf()).toMatchObject([
        { kind: 'Deployment', name: 'web', user: 'alice', labels: { ticket: 'J-1' } },
        { kind: 'ReplicaSet', user: CONTROLLER.username },
      ]);
      for (const live of [await alice.get(appsv1.deployments, web), await newest()])
        expect(hopsOf(live).at(-1)?.generation, live.kind).toBe(live.metadata.generation);
      const annotations = annotationsOf(await newest());
      const ours = Object.keys(annotations).filter((key) => key.startsWith('kausality.io/'));
      const { trace, updaters, controllers, observedGeneration } = ANNOTATIONS;
      // Of those of the Deployment none; its controllers are those who write its own status.
      expect(ours.toSorted()).toEqual([controllers, observedGeneration, trace, updaters]);
      expect(annotations[controllers]).toBe(userHash(REPLICASETS));
      expect(annotations[updaters]).toBe(userHash(CONTROLLER.username));
      expect(await denials()).toBe(0);
    });

    test('a rollback, two changes at once, and what is deleted of the history are not drift', async () => {
      await change('web:1');
      await settled(10, 'web:1');
      await change('web:3');
      await change('web:4');
      await settled(10, 'web:4');
      // Of three older ReplicaSets one may stay.
      await expect
        .poll(async () => (await alice.list(appsv1.replicasets, { namespace })).items.length, {
          timeout: 60_000,
        })
        .toBe(2);
      expect(await count('HistoryCleanup')).toBeGreaterThan(0);
      expect(await denials()).toBe(0);
    });

    test('DRF-76 an autoscaler scales, and so does a person: the trace names them', async () => {
      await alice.create(autoscalingv2.horizontalpodautoscalers, {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: web,
        spec: {
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
          minReplicas: 12,
          maxReplicas: 15,
        },
      });
      await settled(12, 'web:4');
      await tracedTo(AUTOSCALER);
      await alice.delete(autoscalingv2.horizontalpodautoscalers, web);
      await alice.patch(
        appsv1.deployments,
        web,
        { type: 'merge', body: { spec: { replicas: 10 } } },
        { subresource: 'scale' },
      );
      await settled(10, 'web:4');
      await tracedTo(ALICE.username);
      expect(await denials()).toBe(0);
    });

    test('DRF-36 what the controller then changes unasked is denied, and approved it goes through once', async () => {
      const set = await newest();
      const scaled = (replicas: number): Promise<unknown> =>
        operator
          .as(CONTROLLER)
          .patch(appsv1.replicasets, keyOf(set), { type: 'merge', body: { spec: { replicas } } })
          .catch((error: unknown) => error);
      const denied = await scaled(5);
      expect(denied).toSatisfy(isForbidden);
      expect((denied as ApiError).message).toContain(
        `updates ReplicaSet ${set.metadata.name} (spec.replicas), but nobody has changed Deployment web`,
      );
      const stage = commandStage(
        withImpersonation(transport(), { user: ALICE.username, groups: ALICE.groups }),
        namespace,
      );
      await approve({ args: [`replicaset/${set.metadata.name}`], options: {} }, async () => stage);
      await settled(10, 'web:4');
      const { generation = 0 } = (await newest()).metadata;
      expect(await scaled(9)).not.toBeInstanceOf(Error);
      expect(await traceOf()).toMatchObject([
        { kind: 'ReplicaSet', approval: { mode: 'once', by: 'alice' } },
      ]);
      expect(await scaled(8)).toSatisfy(isForbidden);
      const after = await newest();
      expect(after.spec?.replicas).toBe(9);
      // One change. Decisions are not counted here: a server that repeats a patch after a conflict asks for one more.
      expect(after.metadata.generation).toBe(generation + 1);
      const { metadata } = await alice.get(appsv1.deployments, web);
      const gone = await waitForObject(
        alice,
        appsv1.deployments,
        web,
        (live) => live?.metadata.annotations?.[ANNOTATIONS.approvals] === undefined,
        PATIENCE,
      );
      // Taking it away is no change of the Deployment.
      expect(gone?.metadata.generation).toBe(metadata.generation);
      // Now its controller would like to have ten again; a person has the last word.
      await alice.patch(appsv1.replicasets, keyOf(set), { type: 'merge', body: { spec: { replicas: 10 } } });
      // It tries to scale to ten, again and again, until it sees that. A generation that it has observed comes after its last attempt.
      const fence = { metadata: { annotations: { 'example.com/fence': 'ten' } } };
      await alice.patch(appsv1.deployments, web, { type: 'merge', body: fence });
      await settled(10, 'web:4');
    });

    test('DRF-22 the namespace goes, and nothing is in the way', async () => {
      await settled(10, 'web:4');
      const before = await denials();
      expect(controllerOf(await newest())).toMatchObject({ kind: 'Deployment' });
      await alice.delete(corev1.namespaces, { name: namespace });
      await waitForObject(
        alice,
        corev1.namespaces,
        { name: namespace },
        (live) => live === undefined,
        PATIENCE,
      );
      expect(await denials()).toBe(before);
    });
  });
}
