import { randomUUID } from 'node:crypto';
import {
  type Client,
  createClient,
  injectFaults,
  ignoreNotFound,
  type ResourceRef,
} from '@kubewright/client';
import type { KubeObject, Transport } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { silentLogger } from '../log/logger.ts';
import { watchKind } from '../controller/source.ts';
import { createManager } from '../manager/create-manager.ts';
import type { Manager } from '../manager/manager.ts';
import { createCallPacedClock } from '../testing/call-paced-clock.ts';
import { createLeaderElection, type LeaderElection } from './leader-election.ts';
import { LEASES, readLease } from './lease-record.ts';

/** The part of a server under test that this suite uses; the repository's `TestServer` is one. */
export type ServerUnderTest = { transport(): Transport };

const core = { group: '', version: 'v1', namespaced: true };
const configMaps: ResourceRef = { ...core, resource: 'configmaps', kind: 'ConfigMap' };
const events: ResourceRef = { ...core, resource: 'events', kind: 'Event' };
const namespaces: ResourceRef = { ...core, resource: 'namespaces', kind: 'Namespace', namespaced: false };

const SHORT = { leaseDurationMs: 3000, renewDeadlineMs: 2000, retryPeriodMs: 300 };

type Replica = {
  readonly manager: Manager;
  readonly election: LeaderElection;
  readonly stop: AbortController;
  readonly ended: Promise<unknown>;
};

/** Two managers and one Lease, on any API server. */
export function leaderElectionContract(server: () => ServerUnderTest): void {
  describe('managers that compete for a Lease', () => {
    const namespace = `election-${randomUUID().slice(0, 8)}`;
    let client: Client;
    const running: Replica[] = [];
    const { clock, pacedBy, run: passTime } = createCallPacedClock();
    const over = new AbortController();
    let passing: Promise<void>;
    beforeAll(async () => {
      client = createClient(server().transport());
      await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      passing = passTime(over.signal);
    });
    afterAll(async () => {
      for (const { stop } of running) stop.abort();
      await Promise.all(running.map(({ ended }) => ended));
      over.abort();
      await passing;
      await client.deleteAll(configMaps, { namespace });
      await client.deleteAll(LEASES, { namespace });
      await client.delete(namespaces, { name: namespace });
    });

    const eventually = (check: () => Promise<void> | void): Promise<void> =>
      vi.waitFor(check, { timeout: 60_000, interval: 20 });
    const create = (name: string): Promise<KubeObject> =>
      client.create<KubeObject>(configMaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace, name },
      });
    const signedBy = async (name: string): Promise<string | undefined> =>
      (await client.get(configMaps, { namespace, name })).metadata.labels?.['signed'];
    const leaseOf = (name: string) => ignoreNotFound(client.get(LEASES, { namespace, name }));

    /** Signs each ConfigMap with the name of who saw it first. */
    function begin(name: string, me: string, way = server().transport()): Replica {
      const transport = pacedBy(way);
      const lease = { namespace, name, identity: me, ...SHORT };
      const election = createLeaderElection({ transport, clock, log: silentLogger, ...lease });
      const manager = createManager({
        client: createClient(election.transport),
        clock,
        election,
        log: silentLogger,
      });
      manager.addController({
        name: me,
        sources: [watchKind(configMaps, { cached: { namespace } })],
        reconciler: {
          async reconcile(request) {
            if (manager.cache.get(configMaps, request)?.metadata.labels?.['signed'] !== undefined) return {};
            const body = { metadata: { labels: { signed: me } } };
            await manager.client.patch(configMaps, request, { type: 'merge', body });
            return {};
          },
        },
      });
      const stop = new AbortController();
      const ended = manager.start(stop.signal).catch((error: unknown) => error);
      const replica = { manager, election, stop, ended };
      running.push(replica);
      return replica;
    }

    it('one leads, the other is warm; when the first is stopped the other takes over at once', async () => {
      const first = begin('stopped', 'first');
      await eventually(() => expect(first.election.term()).toBe(0));
      await create('one');
      await eventually(async () => expect(await signedBy('one')).toBe('first'));

      const second = begin('stopped', 'second');
      await eventually(() =>
        expect(second.manager.cache.get(configMaps, { namespace, name: 'one' })).toBeDefined(),
      );
      expect(second.election.term()).toBeUndefined();
      const patch = second.manager.client.patch(
        configMaps,
        { namespace, name: 'one' },
        { type: 'merge', body: {} },
      );
      await expect(patch).rejects.toMatchObject({ code: 'NotLeading' });
      expect(await second.manager.registry.metrics()).toContain(
        'leader_election_master_status{name="stopped"} 0',
      );
      expect(await first.manager.registry.metrics()).toContain(
        'leader_election_master_status{name="stopped"} 1',
      );

      first.stop.abort();
      expect(await first.ended).toBeUndefined();
      const released = await leaseOf('stopped');
      expect(released === undefined ? '' : readLease(released).holder).not.toBe('first');
      await create('two');
      await eventually(async () => expect(await signedBy('two')).toBe('second'));
      expect(second.election.term()).toBe(1);
      const { items } = await client.list(events, {
        namespace,
        fieldSelector: 'involvedObject.name=stopped',
      });
      const messages = items.map((event) => event['message']);
      expect(messages).toEqual(expect.arrayContaining(['first became leader', 'second became leader']));
      second.stop.abort();
      expect(await second.ended).toBeUndefined();
    });

    it('who cannot renew gives up before another begins, and writes nothing afterwards', async () => {
      let isCut = false;
      const transport = injectFaults(server().transport(), () =>
        isCut ? { type: 'lostRequest' } : undefined,
      );
      const first = begin('cut', 'cut-off', transport);
      await eventually(() => expect(first.election.term()).toBe(0));
      const second = begin('cut', 'heir');
      isCut = true;
      expect(await first.ended).toMatchObject({
        code: 'LeaseLost',
        message: expect.stringContaining('cut-off'),
      });
      expect(second.election.term()).toBeUndefined();
      isCut = false;
      const write = first.manager.client.patch(
        configMaps,
        { namespace, name: 'one' },
        { type: 'merge', body: {} },
      );
      await expect(write).rejects.toMatchObject({ code: 'NotLeading' });
      await eventually(() => expect(second.election.term()).toBe(1));
      const lease = await leaseOf('cut');
      expect(lease?.['spec']).toMatchObject({
        holderIdentity: 'heir',
        leaseDurationSeconds: 3,
        leaseTransitions: 1,
        renewTime: expect.stringMatching(/\.\d{6}Z$/),
      });
      second.stop.abort();
      expect(await second.ended).toBeUndefined();
    });
  });
}
