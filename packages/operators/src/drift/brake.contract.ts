import { type ApiError, type Client, isForbidden } from '@kubewright/client';
import { apiextensionsv1, corev1, formatTime, ownerReferenceTo, type Transport } from '@kubewright/kube';
import { installDefinitions, waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { ANNOTATIONS, KAUSALITIES } from './api.ts';
import { freeze } from './commands/freeze.ts';
import { driftParts } from './controller.ts';
import { SITES, type Site } from './demo/site.ts';
import { commandStage, createPolicy } from './testing/drift-stage.ts';
import { annotationsOf } from './testing/annotations-of.ts';

const MASTERS = ['system:masters'];
const READY = {
  type: 'Ready',
  status: 'True',
  reason: 'Served',
  message: '',
  lastTransitionTime: formatTime(new Date(0)),
} as const;
const WITHIN = { timeout: 30_000 };

/** Too much drift, or too many deletions, of one origin: the tree is frozen. */
export function brakeContract(transport: () => Transport): void {
  describe('the brake of drift', () => {
    const operator = useOperator(transport, driftParts, {
      anyKind: { apiGroups: [SITES.group], resources: ['sites'] },
    });
    const { namespace } = operator;
    let alice: Client;
    let ctl: Client;

    const make = (by: Client, name: string, owner?: Site): Promise<Site> => {
      const ownerReferences = owner && [ownerReferenceTo(owner, { controller: true })];
      const metadata = { namespace, name, ...(ownerReferences && { ownerReferences }) };
      const spec = { color: 'red' };
      return by.create(SITES, { apiVersion: 'demo.kubewright.io/v1', kind: 'Site', metadata, spec });
    };
    const own = (owner: Site, name: string): Promise<corev1.ConfigMap> =>
      ctl.apply(
        corev1.configmaps,
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { namespace, name, ownerReferences: [ownerReferenceTo(owner, { controller: true })] },
          data: { color: 'red' },
        },
        { fieldManager: 'ctl' },
      );
    const observe = async (name: string): Promise<void> => {
      const status = { observedGeneration: 1, conditions: [READY] };
      await ctl.patch(
        SITES,
        { namespace, name },
        { type: 'merge', body: { status } },
        { subresource: 'status' },
      );
      await waitForObject(
        operator.admin,
        SITES,
        { namespace, name },
        (site) => annotationsOf(site)[ANNOTATIONS.phase] === 'initialized',
      );
    };
    const paint = (by: Client, name: string, color = 'blue'): Promise<unknown> =>
      by.patch(corev1.configmaps, { namespace, name }, { type: 'merge', body: { data: { color } } });
    const denied = async (write: Promise<unknown>): Promise<string> => {
      const error: unknown = await write.catch((reason: unknown) => reason);
      expect(error).toSatisfy(isForbidden);
      return (error as ApiError).message;
    };
    const freezeOf = async (name: string): Promise<string | undefined> =>
      (await operator.admin.get(SITES, { namespace, name })).metadata.annotations?.[ANNOTATIONS.freeze];
    const frozen = (name: string): Promise<unknown> =>
      waitForObject(
        operator.admin,
        SITES,
        { namespace, name },
        (site) => site?.metadata.annotations?.[ANNOTATIONS.freeze] !== undefined,
      );
    const brakeEvents = async (): Promise<readonly string[]> => {
      const { items } = await operator.admin.list(corev1.events, { namespace });
      return items.flatMap(({ reason, message = '' }) => (reason === 'DriftBraked' ? [message] : []));
    };

    beforeAll(async () => {
      alice = operator.as({ username: 'alice', groups: MASTERS });
      ctl = operator.as({ username: 'ctl', groups: MASTERS });
      await installDefinitions(operator.admin, [SITES.definition], { fieldManager: 'test' });
      await createPolicy(operator.admin, namespace, {
        mode: 'enforce',
        namespaces: { names: [namespace] },
        brake: { drifts: 2, deletes: 2, window: '1h' },
      });
      let tries = 0;
      await vi.waitFor(async () => {
        // A server may call a webhook a moment after it is configured.
        const made = await make(alice, `probe-${(tries += 1)}`);
        expect(annotationsOf(made)).toHaveProperty([ANNOTATIONS.updaters]);
      }, WITHIN);
      const root = await make(alice, 'root');
      for (const name of ['east', 'west']) {
        const part = await make(ctl, name, root);
        for (const index of [1, 2, 3]) await own(part, `${name}-${index}`);
      }
      for (const name of ['root', 'east', 'west']) await observe(name);
    });
    afterAll(async () => {
      await operator.admin.delete(KAUSALITIES, { name: namespace });
      await operator.admin.delete(apiextensionsv1.customresourcedefinitions, {
        name: SITES.definition.metadata.name ?? '',
      });
    });

    test('drift of one object too many freezes all that comes from the same change, and an Event says so', async () => {
      for (const name of ['east-1', 'east-1', 'west-1', 'east-1'])
        expect(await denied(paint(ctl, name))).toContain('no approval');
      expect(await denied(paint(ctl, 'west-2'))).toContain(
        'parent frozen: more than 2 drifts below Site root within 1h (since ',
      );
      for (const name of ['root', 'east', 'west']) await frozen(name);
      expect(await denied(paint(ctl, 'east-1'))).toContain('frozen');
      expect(await denied(paint(alice, 'east-1'))).toContain('frozen');
      await expect
        .poll(brakeEvents, WITHIN)
        .toEqual([
          'more than 2 drifts below Site root within 1h, last changed by alice; frozen: Site root, Site east, Site west',
        ]);
    });

    test('unfrozen by the command line, all of it goes on, and the brake counts from the beginning', async () => {
      const stage = commandStage(transport(), namespace);
      await freeze({ args: ['site/east'], options: {} }, async () => stage, false);
      expect(stage.printed()).toBe(
        ['east', 'root', 'west'].map((name) => `Site ${name} is no longer frozen\n`).join(''),
      );
      await paint(alice, 'east-1');
      expect(await denied(paint(ctl, 'east-2'))).toContain('no approval');
      expect(await freezeOf('root')).toBeUndefined();
    });

    test('deletions that somebody asked for have their limit too; who ends a freeze by an annotation has the last word', async () => {
      await alice.patch(
        SITES,
        { namespace, name: 'west' },
        { type: 'merge', body: { spec: { color: 'blue' } } },
      );
      const remove = (name: string): Promise<unknown> => ctl.delete(corev1.configmaps, { namespace, name });
      await remove('west-1');
      await remove('west-2');
      expect(await denied(remove('west-3'))).toContain('more than 2 deletions below Site west within 1h');
      await frozen('west');
      expect(await freezeOf('east')).toBeUndefined();
      const body = { metadata: { annotations: { [ANNOTATIONS.freeze]: null } } };
      await alice.patch(SITES, { namespace, name: 'west' }, { type: 'merge', body });
      await remove('west-3');
      expect(await freezeOf('west')).toBeUndefined();
    });

    test('in mode log nothing is denied or frozen: an Event says what would be', async () => {
      await operator.admin.patch(
        KAUSALITIES,
        { name: namespace },
        { type: 'merge', body: { spec: { mode: 'log' } } },
      );
      // The webhook follows the policy without a restart.
      await vi.waitFor(() => paint(ctl, 'east-1', 'green'), WITHIN);
      for (const name of ['east-2', 'east-3']) await paint(ctl, name, 'green');
      await expect.poll(async () => (await brakeEvents()).join(), WITHIN).toContain('not frozen: ');
      expect(await freezeOf('east')).toBeUndefined();
    });
  });
}
