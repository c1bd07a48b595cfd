import {
  type ApiError,
  type Client,
  createClient,
  ignoreNotFound,
  isForbidden,
  withImpersonation,
} from '@kubewright/client';
import { admissionregistrationv1, corev1, ownerReferenceTo, type Transport } from '@kubewright/kube';
import { installDefinitions, waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ANNOTATIONS, KAUSALITIES } from '../../packages/operators/src/drift/api.ts';
import {
  reconcileSite,
  SITE_CONTROLLER,
  version1,
  version2,
} from '../../packages/operators/src/drift/demo/site-controller.ts';
import { SITES } from '../../packages/operators/src/drift/demo/site.ts';
import { createPolicy } from '../../packages/operators/src/drift/testing/drift-stage.ts';
import {
  type RunningCommand,
  startCommand,
} from '../../packages/kubewright/src/cli/testing/start-command.ts';
import { runLine } from '../../packages/kubewright/src/cli/testing/run-line.ts';
import { fewUnlessReal } from '../servers/real-side.ts';
import { DriftReplicas, type Replica, updateOf } from './drift-replicas.ts';
import { annotationsOf } from '../../packages/operators/src/drift/testing/annotations-of.ts';

const HOME = 'kausality-system';
const SERVICE = 'kausality-webhook';
const CONFIGURATION = 'kausality';
const ALICE = { user: 'alice', groups: ['system:masters'] };
const WITHIN = { timeout: 120_000, interval: 50 };
const PLAYERS = 2;
/** Each replica is replaced once, as in a rolling update. */
const REPLACED = 2;
/** What `npm run test:real` plays, and `npm test` one of. */
const PLAYED: readonly string[] = fewUnlessReal(1, ['what one has seen', 'one approval', 'a rolling update']);
const RACES = 8;

/** Two processes that serve the webhook of drift behind a Service, and are replaced one after the other. */
export function driftReplicasContract(transport: () => Transport, kubeconfigPath: () => string): void {
  describe('two replicas of kubewright drift webhook', () => {
    const namespace = 'replicas';
    let admin: Client;
    let alice: Client;
    let ctl: Client;
    let replicas: DriftReplicas;
    let running: Replica[] = [];
    let controller: RunningCommand;

    const createNamespace = (name: string): Promise<unknown> =>
      admin.create(corev1.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {} });
    const createSite = (name: string): Promise<unknown> =>
      alice.create(SITES, {
        apiVersion: 'demo.kubewright.io/v1',
        kind: 'Site',
        metadata: { namespace, name },
        spec: { color: 'red' },
      });
    const asked = (name: string): Promise<unknown> =>
      reconcileSite(ctl, { namespace, name }, version1, Date.now());
    /** Fails unless the change is denied, and for no other reason than that nobody asked for it. */
    const unasked = async (name: string): Promise<void> => {
      const error: unknown = await reconcileSite(ctl, { namespace, name }, version2, Date.now()).catch(
        (reason: unknown) => reason,
      );
      if (isForbidden(error) && String(error).includes('no approval')) return;
      throw new Error(`an unasked change was not denied as such: ${String(error)}`, { cause: error });
    };

    /**
     * Resolves when no replica takes an unasked change for a part of the last one that was asked for: the watch of one that
     * did not admit the end of that change may lag. A replica that has ended takes nothing for anything.
     */
    const caughtUp = async (name: string): Promise<void> => {
      const request = { ...updateOf(await ctl.get(corev1.configmaps, { namespace, name })), dryRun: true };
      const isDenied = async (replica: Replica): Promise<void> => {
        const answer = await replicas.ask(replica, request).catch(() => undefined);
        if (answer?.allowed === true) expect.fail(`a replica still allows changes of ${name}`);
      };
      await Promise.all(running.map((replica) => vi.waitFor(() => isDenied(replica), WITHIN)));
    };

    beforeAll(async () => {
      admin = createClient(transport());
      alice = createClient(withImpersonation(transport(), ALICE));
      const { username: user, groups } = SITE_CONTROLLER;
      ctl = createClient(withImpersonation(transport(), { user, groups }));
      await installDefinitions(admin, [KAUSALITIES.definition, SITES.definition], { fieldManager: 'test' });
      for (const name of [HOME, namespace]) await createNamespace(name);
      replicas = await DriftReplicas.prepare(kubeconfigPath(), `${SERVICE}.${HOME}.svc`);
      const port = await replicas.balancer.listen();
      await admin.create(corev1.services, {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { namespace: HOME, name: SERVICE },
        spec: { type: 'ExternalName', externalName: 'localhost' },
      });
      running = await Promise.all([replicas.start(), replicas.start()]);
      await admin.create(admissionregistrationv1.mutatingwebhookconfigurations, {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'MutatingWebhookConfiguration',
        metadata: { name: CONFIGURATION },
        webhooks: [
          {
            name: 'mutating.webhook.kausality.io',
            admissionReviewVersions: ['v1'],
            sideEffects: 'NoneOnDryRun',
            reinvocationPolicy: 'IfNeeded',
            failurePolicy: 'Fail',
            clientConfig: {
              service: { namespace: HOME, name: SERVICE, path: '/mutate', port },
              caBundle: Buffer.from(replicas.caCert).toString('base64'),
            },
            rules: [],
          },
        ],
      });
      const probes = ['--health-probe-bind-address', '0', '--metrics-bind-address', '0'];
      controller = await startCommand(process.cwd(), ['drift', 'controller', ...probes], {
        KUBECONFIG: kubeconfigPath(),
      });
      await createPolicy(admin, namespace, { mode: 'enforce', namespaces: { names: [namespace] } });
      // A server may call a webhook a moment after it is configured.
      await vi.waitFor(async () => {
        const metadata = { namespace, generateName: 'probe-' };
        const probe = await alice.create(corev1.configmaps, {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata,
        });
        expect(annotationsOf(probe)).toHaveProperty([ANNOTATIONS.updaters]);
      }, WITHIN);
    });
    afterAll(async () => {
      await admin.delete(admissionregistrationv1.mutatingwebhookconfigurations, { name: CONFIGURATION });
      await controller.stop();
      await replicas.close();
    });

    /** The life of one Site: each write that follows from a change is allowed, each that does not is denied. */
    async function play(name: string): Promise<void> {
      const key = { namespace, name };
      await createSite(name);
      await asked(name);
      await caughtUp(name);
      await unasked(name);
      await alice.patch(SITES, key, { type: 'merge', body: { spec: { color: 'blue' } } });
      await asked(name);
      await caughtUp(name);
      await unasked(name);
      await alice.delete(SITES, key);
      await ignoreNotFound(alice.delete(corev1.configmaps, key));
    }

    if (PLAYED.includes('a rolling update'))
      test('DRF-74 are replaced one after the other: no write fails for that, and drift is denied all the time', async () => {
        const surprises: string[] = [];
        const over = new AbortController();
        let plays = 0;
        const player = async (id: number): Promise<void> => {
          for (let at = 0; !over.signal.aborted; at++) {
            await play(`site-${id}-${at}`).catch((error: unknown) => surprises.push(String(error)));
            plays += 1;
          }
        };
        /** Resolves when every player has begun and ended a Site since. */
        const playOn = (): Promise<void> => {
          const enough = plays + 2 * PLAYERS;
          return vi.waitFor(() => expect(plays).toBeGreaterThanOrEqual(enough), WITHIN);
        };
        const players = Array.from({ length: PLAYERS }, (_, id) => player(id));
        const gone: Replica[] = [];
        const connections = (one: Replica): number => replicas.balancer.connections.get(one) ?? 0;
        for (let round = 0; round < REPLACED; round++) {
          await playOn();
          // In turn, because connections move to the other one.
          const old =
            running.toSorted((a, b) => connections(b) - connections(a))[0] ?? expect.fail('none runs');
          await replicas.stop(old);
          gone.push(old);
          await playOn();
          running = [...running.filter((one) => one !== old), await replicas.start()];
        }
        await playOn();
        over.abort();
        await Promise.all(players);
        expect(surprises).toEqual([]);
        // Each of them was in use when it was stopped.
        expect(gone.map(connections)).not.toContain(0);
      }, 600_000);

    if (PLAYED.includes('what one has seen'))
      test('DRF-74 what one replica has seen of a Site, the other one decides by', async () => {
        const key = { namespace, name: 'kept' };
        await createSite('kept');
        await asked('kept');
        await waitForObject(
          admin,
          SITES,
          key,
          (site) => annotationsOf(site)[ANNOTATIONS.phase] === 'initialized',
        );
        for (const old of running) {
          await unasked('kept');
          await replicas.stop(old);
          await unasked('kept');
          running = [...running.filter((one) => one !== old), await replicas.start()];
        }
        await unasked('kept');
      }, 300_000);

    if (PLAYED.includes('one approval'))
      describe('one approval of mode once, asked for at both', () => {
        const key = { namespace, name: 'raced' };
        const names = ['raced', 'raced-too'] as const;

        const approvals = async (): Promise<string | undefined> =>
          (await admin.get(SITES, key)).metadata.annotations?.[ANNOTATIONS.approvals];
        const setApprovals = (value: string | null): Promise<unknown> =>
          alice.patch(SITES, key, {
            type: 'merge',
            body: { metadata: { annotations: { [ANNOTATIONS.approvals]: value } } },
          });
        beforeAll(async () => {
          await createSite(key.name);
          const site = await admin.get(SITES, key);
          await ctl.create(corev1.configmaps, {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: {
              namespace,
              name: names[1],
              ownerReferences: [ownerReferenceTo(site, { controller: true })],
            },
          });
          await asked(key.name);
          await waitForObject(
            admin,
            SITES,
            key,
            (live) => annotationsOf(live)[ANNOTATIONS.phase] === 'initialized',
          );
          await unasked(key.name);
        }, 120_000);

        test('DRF-50 DRF-74 of two children, one is allowed, and the other is denied', async () => {
          const children = await Promise.all(
            names.map((name) => admin.get(corev1.configmaps, { namespace, name })),
          );
          const once = { apiVersion: 'v1', kind: 'ConfigMap', name: '*', generation: 1 };
          for (let round = 0; round < RACES; round++) {
            await setApprovals(JSON.stringify([{ ...once, reason: `round ${round}` }]));
            const answers = await Promise.all(
              running.map((replica, at) =>
                replicas.ask(replica, updateOf(children[at] ?? expect.fail('one child for each replica'))),
              ),
            );
            const codes = answers.map(({ allowed, status }) => (allowed ? 200 : status?.code));
            expect(new Set(codes)).toEqual(new Set([200, 403]));
            expect(answers.find(({ allowed }) => !allowed)?.status?.message).toContain('no approval');
            const winner = children[codes.indexOf(200)];
            expect(JSON.parse((await approvals()) ?? '')).toMatchObject([
              { reservedFor: { name: winner?.metadata.name } },
            ]);
          }
          await setApprovals(null);
        }, 120_000);

        test('DRF-60 DRF-74 approved by the command line, of several writes of one child one is stored', async () => {
          const line = `drift approve configmap/${key.name} -n ${namespace}`;
          const ran = await runLine(line, '/', { KUBECONFIG: kubeconfigPath() });
          expect(ran).toMatchObject({
            code: 0,
            out: expect.stringContaining('drift is approved once') as string,
          });
          const errors = await Promise.all(
            Array.from({ length: RACES }, (_, at) =>
              ctl
                .patch(corev1.configmaps, key, { type: 'merge', body: { data: { theme: `theme-${at}` } } })
                .then(
                  () => undefined,
                  (error: unknown) => error,
                ),
            ),
          );
          const denials = errors.filter((error) => error !== undefined);
          expect(denials).toHaveLength(RACES - 1);
          for (const error of denials) {
            expect(error).toSatisfy(isForbidden);
            expect((error as ApiError).message).toContain('no approval');
          }
          const { data } = await admin.get(corev1.configmaps, key);
          expect(data?.['theme']).toBe(`theme-${errors.indexOf(undefined)}`);
        }, 120_000);
      });
  });
}
