import type { JsonObject } from '@kubewright/kube';
import { beforeEach, expect, test } from 'vitest';
import type { TestServer } from '../../servers/test-server.ts';
import { at } from '../../support/at.ts';
import { QuotaStory } from './quota-story.ts';

const PATIENCE = { timeout: 20_000 };

/** What admission does by quotas; nobody else writes their status here. */
export function resourceQuotasContract(server: () => TestServer): void {
  let story: QuotaStory;
  beforeEach(async () => {
    story = await QuotaStory.begin(server().transport());
  });

  /** A quota of which all is known, and which admission has heard of: its cache may be behind the store. */
  const known = async (hard: JsonObject, used: JsonObject): Promise<void> => {
    await story.quota('q', hard);
    await story.tell('q', hard, used);
    const probe = async (): Promise<unknown> => {
      await story.quota('probe', { 'count/leases.coordination.k8s.io': '0' });
      await story.tell(
        'probe',
        { 'count/leases.coordination.k8s.io': '0' },
        { 'count/leases.coordination.k8s.io': '0' },
      );
      return (await story.create('coordination.k8s.io/leases', 'probe')).status;
    };
    await expect.poll(probe, PATIENCE).toBe(403);
  };

  test('of many who want the last room at once, as many pass as there is room for', async () => {
    await known({ pods: '5' }, { pods: '2' });
    const names = Array.from({ length: 20 }, (_, index) => `p-${index}`);
    const answers = await Promise.all(names.map((name) => story.pod(name)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(await story.status('q')).toEqual({ hard: { pods: '5' }, used: { pods: '5' } });
    const refused = answers.find(({ status }) => status !== 201);
    const name = at(refused?.body ?? {}, 'details', 'name') as string;
    expect(refused?.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `pods "${name}" is forbidden: exceeded quota: q, requested: pods=1, used: pods=5, limited: pods=5`,
      reason: 'Forbidden',
      details: { name, kind: 'pods' },
      code: 403,
    });
  });

  test('what is not to be made is not charged', async () => {
    await known({ pods: '5', 'requests.cpu': '1' }, { pods: '0', 'requests.cpu': '0' });
    expect((await story.pod('vague')).body).toMatchObject({
      code: 403,
      message: 'pods "vague" is forbidden: failed quota: q: must specify requests.cpu for: c',
    });
    expect((await story.pod('bad', { requests: { cpu: '1' } }, { restartPolicy: 'Never!' })).status).toBe(
      422,
    );
    expect((await story.pod('greedy', { requests: { cpu: '1500m' } })).status).toBe(403);
    expect(at(await story.status('q'), 'used')).toEqual({ pods: '0', 'requests.cpu': '0' });
  });
}
