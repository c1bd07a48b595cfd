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
