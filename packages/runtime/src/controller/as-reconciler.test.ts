import { expect, it } from 'vitest';
import { asReconciler } from './as-reconciler.ts';

it('does not take a finalizer that nobody would take off', () => {
  const nobody = {} as Parameters<typeof asReconciler>[0];
  const ref = { group: '', kind: 'ConfigMap' };
  const reconcile = async () => undefined;
  expect(() => asReconciler(nobody, ref, { reconcile, finalizer: 'example.com/x' })).toThrow(
    /needs finalize/,
  );
  expect(() => asReconciler(nobody, ref, { reconcile, finalize: reconcile })).toThrow(/needs finalize/);
});

it('looks again when a webhook has restored the finalizer, and not when the object is released', async () => {
  const finalizer = 'example.com/x';
  const metadata = {
    name: 'dying',
    uid: '1',
    resourceVersion: '1',
    deletionTimestamp: '2026-01-01T00:00:00Z',
  };
  const dying = { metadata: { ...metadata, finalizers: [finalizer] } };
  const answers: unknown[] = [dying, { metadata }];
  const manager = {
    cache: { get: () => dying },
    client: { patch: async () => answers.shift() },
  } as unknown;
  const ref = { group: '', kind: 'ConfigMap' };
  const nothing = async () => undefined;
  const reconciler = asReconciler(manager as Parameters<typeof asReconciler>[0], ref, {
    reconcile: nothing,
    finalizer,
    finalize: nothing,
  });
  const context = {} as Parameters<typeof reconciler.reconcile>[1];
  expect(await reconciler.reconcile({ name: 'dying' }, context)).toMatchObject({ requeue: true });
  expect(await reconciler.reconcile({ name: 'dying' }, context)).toEqual({});
});
