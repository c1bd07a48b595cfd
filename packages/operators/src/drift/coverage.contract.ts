import assert from 'node:assert/strict';
import { createClient, withImpersonation } from '@kubewright/client';
import { getCondition, corev1, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { type Kausality, KAUSALITIES } from './api.ts';
import { runDoctor } from './commands/doctor/run-doctor.ts';
import { driftParts } from './controller.ts';
import { commandStage } from './testing/drift-stage.ts';
import { openKind } from './testing/open-kind.ts';
import { standIns } from './testing/stand-ins.ts';

/** Its status says neither what its controller has seen, nor that it is ready. */
const FLOTILLA = openKind('fleet.example.com', 'Flotilla', 'flotillas');
const KEY = 'fleet.example.com';

/** Below which kinds of parents a policy finds drift, and what it does where it cannot tell. */
export function coverageContract(transport: () => Transport): void {
  describe('coverage of a policy', { timeout: 90_000 }, () => {
    const anyKind = { apiGroups: [KEY], resources: ['flotillas'] };
    const operator = useOperator(transport, driftParts, { anyKind });
    const { parent, says, make, patch, denied, start, end } = standIns(operator, [FLOTILLA]);
    const { namespace } = operator;
    const policy = { name: namespace };

    beforeAll(async () => {
      await start([{ apiGroups: [''], resources: ['configmaps'] }]);
      const owner = await parent(FLOTILLA, 'red', {});
      await make(corev1.configmaps, owner, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'red' },
        data: { ships: '1' },
      });
      // It has been ready, as an older release of the operator has recorded.
      await says(FLOTILLA, 'red', { ships: 1, conditions: [{ type: 'Initialized', status: 'True' }] });
      await says(FLOTILLA, 'red', { conditions: null });
    });
    afterAll(end);

    const ships = (count: number): Promise<unknown> =>
      patch(corev1.configmaps, 'red', { data: { ships: String(count) } });
    const seen = (
      isSo: (status: NonNullable<Kausality['status']>) => boolean,
    ): Promise<Kausality | undefined> =>
      waitForObject(
        operator.admin,
        KAUSALITIES,
        policy,
        (live) => live?.status !== undefined && isSo(live.status),
        { timeoutMs: 60_000 },
      );

    test('DRF-115 drift below a kind of which nothing is known is let through in mode enforce, with the reason', async () => {
      const warnings: string[] = [];
      const as = withImpersonation(transport(), { user: 'ctl', groups: ['system:masters'] });
      const ctl = createClient(as, { onWarning: (text) => void warnings.push(text) });
      const body = { data: { ships: '2' } };
      await ctl.patch(corev1.configmaps, { namespace, name: 'red' }, { type: 'merge', body });
      expect(warnings).toEqual([
        expect.stringMatching(/^\[kausality\] drift detected; not denied: Flotilla is not covered yet/),
      ]);
    });

    test('DRF-116 the policy says how much of what controllers wrote is drift, and which kinds are not covered and why', async () => {
      const counted = await seen(
        ({ alarms, conditions }) =>
          alarms?.startsWith('0') === false && getCondition(conditions, 'Covered')?.reason === 'Learning',
      );
      expect(counted?.status).toMatchObject({
        alarms: expect.stringMatching(/^[1-9]\d* of [1-9]\d* writes$/) as string,
        kinds: [{ group: KEY, kind: 'Flotilla', isKnown: false }],
      });
      expect(getCondition(counted?.status?.conditions, 'Covered')?.message).toContain(
        'Flotilla.fleet.example.com: no observedGeneration, no condition Ready or Available, and no profile',
      );
    });

    test('DRF-117 drift doctor --policy prints both, and knows no other policy', async () => {
      const stage = commandStage(transport(), namespace);
      const call = (name: string) => ({ args: [], options: { policy: name } }) as never;
      await runDoctor(call(namespace), async () => stage).catch(() => undefined);
      expect(stage.printed()).toMatch(/alarms +ok +policy .*: 1 of \d+ writes in 1 minute are denied/);
      expect(stage.printed()).toMatch(/Flotilla\.fleet\.example\.com is not covered: no observedGeneration/);
      await expect(runDoctor(call('none'), async () => stage)).rejects.toThrow(
        'there is no Kausality "none"',
      );
    });

    test('DRF-118 what was counted survives a restart of the operator', async () => {
      const { status } = await operator.admin.get(KAUSALITIES, policy);
      const [before] = status?.kinds ?? [];
      assert(before !== undefined);
      const { since, alarms, writes } = before;
      await operator.restart();
      await ships(3);
      const after = await seen(({ kinds = [] }) => kinds[0]?.alarms === alarms + 1);
      expect(after?.status?.kinds).toMatchObject([{ since, writes: writes + 1 }]);
    });

    test('DRF-115 with enforceUncovered it is denied', async () => {
      const body = { spec: { enforceUncovered: true } };
      await operator.admin.patch(KAUSALITIES, policy, { type: 'merge', body });
      await seen(
        ({ conditions }) =>
          getCondition(conditions, 'Covered')?.message?.includes('enforced all the same') === true,
      );
      expect(await denied(ships(4))).toContain('nobody has changed Flotilla red');
    });
  });
}
