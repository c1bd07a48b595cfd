import type { Json, JsonObject, policyv1 } from '@kubewright/kube';
import { describe, expect, it } from 'vitest';
import type { TestServer } from '../../servers/test-server.ts';
import { call, PATCH } from '../../support/api.ts';
import { namespaceFor } from '../rest/namespace-for.ts';

type Budget = {
  readonly spec?: JsonObject;
  readonly status: policyv1.PodDisruptionBudgetStatus;
};

const VIOLATED = "Cannot evict pod as it would violate the pod's disruption budget.";
const SUCCESS = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

let made = 0;

/** `pods/eviction`: who may go, what is written on the way, and how a refusal reads. */
export function evictionContract(server: () => TestServer): void {
  const namespace = namespaceFor(server, 'eviction');
  const root = `/api/v1/namespaces/${namespace.name}/pods`;
  const budgets = `/apis/policy/v1/namespaces/${namespace.name}/poddisruptionbudgets`;
  const send = (method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, body?: Json) =>
    call(server().transport(), method, path, body, method === 'PATCH' ? PATCH.merge : undefined);

  /** A pod of an app of its own; without a phase it is Pending. */
  async function pod(
    app: string,
    state?: { readonly phase: string; readonly ready?: boolean },
  ): Promise<string> {
    const name = `pod-${++made}`;
    await send('POST', root, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, labels: { app } },
      spec: { nodeName: 'nowhere', containers: [{ name: 'a', image: 'a' }] },
    });
    if (state === undefined) return name;
    const conditions = [{ type: 'Ready', status: state.ready === true ? 'True' : 'False' }];
    await send('PATCH', `${root}/${name}/status`, { status: { phase: state.phase, conditions } });
    return name;
  }

  async function budget(app: string, { spec, status }: Budget): Promise<string> {
    const name = `budget-${++made}`;
    const selector = { matchLabels: { app } };
    const object = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name } };
    await send('POST', budgets, { ...object, spec: { minAvailable: 1, selector, ...spec } });
    await send('PATCH', `${budgets}/${name}/status`, { status: { observedGeneration: 1, ...status } });
    return name;
  }

  const evict = (
    name: string,
    { options, query = '', named = name }: { options?: JsonObject; query?: string; named?: string } = {},
  ) =>
    send('POST', `${root}/${name}/eviction${query}`, {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: named, namespace: namespace.name },
      ...(options === undefined ? {} : { deleteOptions: options }),
    });

  const retryAfter = async (name: string): Promise<unknown> => {
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } };
    const path = `${root}/${name}/eviction`;
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify(eviction);
    const answer = await server().transport().request({ method: 'POST', path, headers, body });
    return answer.headers['retry-after'];
  };

  type Pod = {
    metadata: JsonObject & { uid: string; resourceVersion: string };
    status: { conditions?: JsonObject[] };
  };
  const live = async (name: string): Promise<Pod> => (await send('GET', `${root}/${name}`)).body as Pod;

  async function expectUntouched(name: string): Promise<void> {
    const { metadata, status } = await live(name);
    expect(metadata).not.toHaveProperty('deletionTimestamp');
    expect(status.conditions?.map(({ type }) => type)).not.toContain('DisruptionTarget');
  }

  const healthy = { currentHealthy: 2, desiredHealthy: 1, disruptionsAllowed: 1, expectedPods: 2 };

  describe('an eviction', () => {
    it('marks the pod, then lets it end in its time', async () => {
      const name = await pod('alone', { phase: 'Running', ready: true });
      expect(await evict(name)).toMatchObject({ status: 201, body: SUCCESS });
      const { metadata, status } = await live(name);
      expect(metadata).toMatchObject({ deletionGracePeriodSeconds: 30, generation: 2 });
      expect(status.conditions).toContainEqual({
        type: 'DisruptionTarget',
        status: 'True',
        lastProbeTime: null,
        lastTransitionTime: expect.any(String),
        reason: 'EvictionByEvictionAPI',
        message: 'Eviction API: evicting',
      });
    });

    it('takes the options of a deletion', async () => {
      const name = await pod('alone', { phase: 'Running', ready: true });
      expect((await evict(name, { options: { gracePeriodSeconds: -5 } })).status).toBe(201);
      expect((await live(name)).metadata).toMatchObject({ deletionGracePeriodSeconds: 1 });
      const gone = await pod('alone', { phase: 'Running', ready: true });
      expect((await evict(gone, { options: { gracePeriodSeconds: 0 } })).status).toBe(201);
      expect((await send('GET', `${root}/${gone}`)).status).toBe(404);
    });

    it('of a pod that is not there, or by another name', async () => {
      expect((await evict('nobody')).body).toMatchObject({
        reason: 'NotFound',
        message: 'pods "nobody" not found',
      });
      expect((await evict('nobody', { named: 'other' })).body).toMatchObject({
        code: 400,
        message: 'name in URL does not match name in Eviction object',
      });
    });

    it('that is only tried, says so in one place or in both', async () => {
      const name = await pod('alone', { phase: 'Running', ready: true });
      expect((await evict(name, { options: { dryRun: ['All'] } })).body).toEqual(SUCCESS);
      expect((await evict(name, { query: '?dryRun=All' })).body).toEqual(SUCCESS);
      expect(
        (await evict(name, { options: { dryRun: ['All', 'All'] }, query: '?dryRun=All' })).body,
      ).toMatchObject({
        code: 500,
        message: 'Non-matching dry-run options in request and content: [All] and [All All]',
      });
      expect((await evict(name, { options: { dryRun: ['Some'] } })).body).toMatchObject({ code: 422 });
      await expectUntouched(name);
    });

    it('of another pod of that name, or of an older state, is a conflict', async () => {
      const name = await pod('alone', { phase: 'Running', ready: true });
      const { metadata } = await live(name);
      const answers = [
        await evict(name, { options: { preconditions: { uid: 'other' } } }),
        await evict(name, { options: { preconditions: { resourceVersion: '1' } } }),
      ];
      expect(answers.map(({ body }) => [body['reason'], body['message'], body['details']])).toEqual([
        [
          'Conflict',
          `Operation cannot be fulfilled on Pod "${name}": the UID in the precondition (other) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
          { name, kind: 'Pod' },
        ],
        [
          'Conflict',
          `Operation cannot be fulfilled on Pod "${name}": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
          { name, kind: 'Pod' },
        ],
      ]);
      await expectUntouched(name);
      const preconditions = {
        uid: metadata.uid,
        resourceVersion: metadata.resourceVersion,
      };
      expect((await evict(name, { options: { preconditions } })).status).toBe(201);
    });
  });

  describe('a budget', () => {
    it('gives one disruption away, and says that it has none left', async () => {
      const name = await pod('given', { phase: 'Running', ready: true });
      const by = await budget('given', { status: healthy });
      expect((await evict(name, { query: '?dryRun=All' })).status).toBe(201);
      expect((await evict(name)).status).toBe(201);
      const { body } = await send('GET', `${budgets}/${by}`);
      expect(body['status']).toEqual({
        ...healthy,
        disruptionsAllowed: 0,
        observedGeneration: 1,
        disruptedPods: { [name]: expect.any(String) },
        conditions: [
          {
            type: 'DisruptionAllowed',
            status: 'False',
            observedGeneration: 1,
            lastTransitionTime: expect.any(String),
            reason: 'InsufficientPods',
            message: '',
          },
        ],
      });
      const { managedFields } = body['metadata'] as { managedFields: JsonObject[] };
      expect(managedFields.map((entry) => [entry['manager'], entry['subresource']])).toContainEqual([
        'kube-apiserver',
        'status',
      ]);
    });

    const failed = (reason: string) => [
      {
        type: 'DisruptionAllowed',
        status: 'False',
        reason,
        message: 'why',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ];
    it.each([
      [{ currentHealthy: 1, desiredHealthy: 1 }, 'needs 1 healthy pods and has 1 currently'],
      [{ currentHealthy: 3, desiredHealthy: 1 }, 'does not allow evicting pods currently'],
      [
        { currentHealthy: 3, desiredHealthy: 1, conditions: failed('Other') },
        'does not allow evicting pods currently (Other): why',
      ],
      [
        { currentHealthy: 1, desiredHealthy: 1, conditions: failed('SyncFailed') },
        'does not allow evicting pods currently because it failed sync: why',
      ],
    ])('with nothing left refuses: %o', async (status, why) => {
      const app = `refused-${++made}`;
      const name = await pod(app, { phase: 'Running', ready: true });
      const by = await budget(app, {
        status: { disruptionsAllowed: 0, expectedPods: 1, ...status },
      });
      const { body } = await evict(name);
      expect(body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: VIOLATED,
        reason: 'TooManyRequests',
        details: { causes: [{ reason: 'DisruptionBudget', message: `The disruption budget ${by} ${why}` }] },
        code: 429,
      });
      expect(await retryAfter(name)).toBeUndefined();
      await expectUntouched(name);
    });

    it('that nobody has looked at yet asks to come again', async () => {
      const name = await pod('unseen', { phase: 'Running', ready: true });
      const by = await budget('unseen', { status: { ...healthy, observedGeneration: 0 } });
      const { body } = await evict(name);
      expect(body).toMatchObject({
        message: VIOLATED,
        details: {
          retryAfterSeconds: 10,
          causes: [{ message: `The disruption budget ${by} is still being processed by the server.` }],
        },
      });
      expect(await retryAfter(name)).toBe('10');
    });

    it('is not asked about a pod that has not begun or is over', async () => {
      const none = { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 3 };
      await budget('idle', { status: none });
      for (const name of [
        await pod('idle'),
        await pod('idle', { phase: 'Failed' }),
        await pod('idle', { phase: 'Succeeded' }),
      ])
        expect((await evict(name)).status).toBe(201);
    });

    it('lets unready pods go while enough others are ready, or always', async () => {
      const short = { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 2, expectedPods: 3 };
      await budget('few', { status: short });
      const kept = await pod('few', { phase: 'Running' });
      expect((await evict(kept)).status).toBe(429);
      await budget('always', { spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' }, status: short });
      expect((await evict(await pod('always', { phase: 'Running' }))).status).toBe(201);
      const by = await budget('enough', { status: { ...short, currentHealthy: 2 } });
      expect((await evict(await pod('enough', { phase: 'Running' }))).status).toBe(201);
      const { body } = await send('GET', `${budgets}/${by}`);
      expect(body['status']).not.toHaveProperty('disruptedPods');
    });

    it('cannot share a pod with another', async () => {
      const name = await pod('shared', { phase: 'Running', ready: true });
      await budget('shared', { status: healthy });
      await budget('shared', { status: healthy });
      const { status, body } = await evict(name);
      expect([status, body['reason'], body['message']]).toEqual([
        500,
        undefined,
        'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      ]);
    });
  });
}
