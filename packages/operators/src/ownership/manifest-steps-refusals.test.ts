import { describe, expect, test } from 'vitest';
import type { AnyKindApi } from '../kit/any-kind-api.ts';
import { answered, fakeAnyKindApi, refused } from '../kit/testing/fake-any-kind-api.ts';
import { run, server, shell, split } from './testing/reconciled.ts';

describe('races and refusals', () => {
  test('a rewrite that meets a conflict is planned anew from a fresh read', async () => {
    const target = server(split);
    let conflicts = 2;
    const racing: AnyKindApi = {
      ...target,
      patchJson: (...args) =>
        conflicts-- > 0 ? Promise.resolve(refused(409, 'changed')) : target.patchJson(...args),
    };

    const result = await run(racing);

    expect(result.state.reconciled).toBe(true);
    expect(target.calls.filter((call) => call === 'get')).toHaveLength(3);
  });

  test('a probe that meets a conflict is a race too, not a refusal of the manifest', async () => {
    const target = server(split);
    let conflicts = 1;
    const racing: AnyKindApi = {
      ...target,
      apply: (object, options) =>
        options.manager === 'kubewright-probe' && conflicts-- > 0
          ? Promise.resolve(refused(409, 'changed'))
          : target.apply(object, options),
    };

    expect((await run(racing)).state.reconciled).toBe(true);
  });

  test('after five conflicts the queue decides when to try again', async () => {
    const target = server(split);
    const racing: AnyKindApi = { ...target, patchJson: () => Promise.resolve(refused(409, 'changed')) };

    expect(await run(racing)).toMatchObject({ reason: 'Conflict', requeue: true, events: [] });
    expect(target.calls.filter((call) => call === 'get')).toHaveLength(6);
  });

  test('OWN-T41 a rewrite that the server ignored is reported and not repeated', async () => {
    const target = server(split);
    const ignoring: AnyKindApi = { ...target, patchJson: () => Promise.resolve(answered(split)) };

    const result = await run(ignoring);

    expect(result).toMatchObject({
      reason: 'RewriteIgnored',
      state: { reconciled: false },
      requeueAfter: 60_000,
    });
    expect(target.calls.filter((call) => call === 'dry run as eno')).toHaveLength(1);
  });

  test('a manifest that is itself invalid is reported as the server words it, and nothing is moved', async () => {
    const target = fakeAnyKindApi({
      get: () => Promise.resolve(split),
      apply: () => Promise.resolve(refused(422, 'spec.selector: Required value')),
    });

    const result = await run(target);

    expect(result.state).toEqual({ reconciled: false, reconciliationError: 'spec.selector: Required value' });
    expect(result.events.map(({ reason }) => reason)).toEqual(['ReconciliationFailed']);
  });

  test('the same failure is told once', async () => {
    const target = fakeAnyKindApi({
      get: () => Promise.resolve(split),
      apply: () => Promise.resolve(refused(422, 'no')),
    });
    const first = await run(target);

    expect((await run(target, {}, {}, first.state)).events).toEqual([]);
  });

  test('an admission policy that denies the rewrite is reported once, with its words', async () => {
    const target = server(split);
    const denying: AnyKindApi = {
      ...target,
      patchJson: () => Promise.resolve(refused(422, 'denied by policy')),
    };

    expect(await run(denying)).toMatchObject({
      reason: 'Refused',
      state: { reconciliationError: 'denied by policy' },
    });
  });

  test('an annotation that cannot be read blocks everything that it speaks of', async () => {
    const target = fakeAnyKindApi({
      get: () => Promise.resolve(split),
      apply: () => Promise.resolve(refused(422, shell)),
    });

    const result = await run(target, { annotations: { 'eno.azure.io/migrate-ownership': 'spec[' } });

    expect(result).toMatchObject({ reason: 'InvalidPolicy', state: { reconciled: false } });
  });
});
