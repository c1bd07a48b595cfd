import type { Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { answered, fakeAnyKindApi } from '../kit/testing/fake-any-kind-api.ts';
import { entry, initContainers, item, live } from './testing/claims.ts';
import { applied, own, rewritten, run } from './testing/reconciled.ts';

const owned = live([entry('eno', 'Apply', own)]);
/** What an apply leaves when a webhook puts the init container back: it is there, and nobody owns it. */
const undone = live([entry('eno', 'Apply', { 'f:spec': {} })]);

/** What has to go, as the status of a slice has it. */
const REMOVING = JSON.stringify(initContainers({ [item('base-os-bash')]: {} }));

/** A server whose answers to applies and dry runs a webhook undoes, so often each. */
function undoing({ dryRuns = 0, applies = 0, leaving = undone }) {
  let current: Stored = owned;
  const left = { dryRuns, applies };
  const ownsIt = (): boolean =>
    (current.metadata.managedFields ?? []).some(
      ({ manager, fieldsV1 }) => manager === 'eno' && JSON.stringify(fieldsV1).includes('base-os-bash'),
    );
  const target = fakeAnyKindApi({
    get: () => Promise.resolve(current),
    apply(_object, { dryRun }) {
      const next = !ownsIt() ? current : left[dryRun ? 'dryRuns' : 'applies']-- > 0 ? leaving : applied;
      if (!dryRun) current = next;
      return Promise.resolve(answered(next));
    },
    patchJson: (_ref, patch) => Promise.resolve(answered((current = rewritten(current, patch)))),
  });
  return { target, calls: () => target.calls.filter((call) => ['apply', 'rewrite'].includes(call)) };
}

describe('a removal that a mutating webhook undoes', () => {
  test('is not applied when the dry run shows it, so that our claim is kept', async () => {
    const { target, calls } = undoing({ dryRuns: 1 });

    expect(await run(target)).toMatchObject({
      reason: 'RemovalUndone',
      state: {
        reconciled: false,
        reconciliationError: expect.stringContaining('initContainers[name="base-os-bash"]: a mutating'),
      },
      requeueAfter: 60_000,
    });
    expect(calls()).toEqual([]);
    expect(await run(target)).toMatchObject({ reason: 'InSync', state: { reconciled: true } });
  });

  test('is claimed again and repeated when only the apply shows it', async () => {
    const { target, calls } = undoing({ applies: 1 });

    expect(await run(target)).toMatchObject({ reason: 'InSync', state: { reconciled: true } });
    expect(calls()).toEqual(['apply', 'rewrite', 'apply']);
  });

  test('is claimed again by another process: the status says what the apply was to remove', async () => {
    const { target, calls } = undoing({ applies: 1 });
    const failing = { ...target, patchJson: () => Promise.reject(new TypeError('lost')) };

    await expect(run(failing)).rejects.toThrow('lost');

    const { state } = await run(target, {}, {}, { removing: REMOVING });
    expect(state).toMatchObject({ reconciled: true });
    expect(state).not.toHaveProperty('removing');
    expect(calls()).toEqual(['apply', 'rewrite', 'apply']);
  });

  test.each(['not JSON', '{}', '{"f:spec":{"f:replicas":{}}}'])(
    'is left alone where the status says %s: anybody may have written that',
    async (removing) => {
      const { target, calls } = undoing({ applies: 1 });
      const failing = { ...target, patchJson: () => Promise.reject(new TypeError('lost')) };
      await expect(run(failing)).rejects.toThrow('lost');

      expect(await run(target, {}, {}, { removing })).toMatchObject({ reason: 'InSync' });
      expect(calls()).toEqual(['apply']);
    },
  );

  test('is left claimed, and tried later, when it is undone again and again', async () => {
    const { target, calls } = undoing({ applies: 2 });

    const result = await run(target);

    expect(result).toMatchObject({ reason: 'RemovalUndone', state: { reconciled: false } });
    expect(calls()).toEqual(['apply', 'rewrite', 'apply', 'rewrite']);
    expect(await run(target, {}, {}, result.state)).toMatchObject({ state: { reconciled: true } });
  });

  test.each([
    ['has claimed a part of', { 'f:command': {} }],
    ['has claimed', { '.': {}, 'f:command': {} }],
  ])('is repeated when another field manager %s what is left', async (_what, fields) => {
    const theirs = entry('helm', 'Update', initContainers({ [item('base-os-bash')]: fields }));
    const leaving = live([entry('eno', 'Apply', { 'f:spec': {} }), theirs]);
    const { target, calls } = undoing({ applies: 1, leaving });

    expect(await run(target)).toMatchObject({ reason: 'InSync', state: { reconciled: true } });
    expect(calls()).toEqual(['apply', 'rewrite', 'apply']);
  });
});
