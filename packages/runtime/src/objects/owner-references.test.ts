import type { ObjectMeta, Stored } from '@kubewright/kube';
import { describe, expect, it } from 'vitest';
import {
  isControlledBy,
  isOwnedBy,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from './owner-references.ts';

const make = (kind: string, name: string, more: ObjectMeta = {}): Stored => ({
  apiVersion: kind === 'Site' ? 'example.com/v1' : 'v1',
  kind,
  metadata: { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion: '1', ...more },
});
const site = make('Site', 'blog');
const child = make('Secret', 'blog');

describe('owner references', () => {
  it('name the owner by its uid, and say who controls', () => {
    const owned = setControllerReference(site, child);
    expect(owned.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'example.com/v1',
        kind: 'Site',
        name: 'blog',
        uid: 'uid-blog',
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    expect(setControllerReference(site, owned).metadata.ownerReferences).toHaveLength(1);
    const both = setOwnerReference(make('Site', 'second'), owned);
    expect(both.metadata.ownerReferences?.map(({ name, controller }) => [name, controller])).toEqual([
      ['blog', true],
      ['second', undefined],
    ]);
    expect(isControlledBy(both, site)).toBe(true);
    expect(isControlledBy(both, make('Site', 'second'))).toBe(false);
    expect(isOwnedBy(both, make('Site', 'second'))).toBe(true);
    expect(isOwnedBy(removeOwnerReference(make('Site', 'second'), both), make('Site', 'second'))).toBe(false);
    expect(removeOwnerReference(make('Site', 'third'), both)).toBe(both);
  });

  it('know the same owner in another version of its group', () => {
    const older = setControllerReference({ ...site, apiVersion: 'example.com/v1beta1' }, child);
    expect(isControlledBy(older, site)).toBe(true);
    expect(setControllerReference(site, older).metadata.ownerReferences).toHaveLength(1);
    expect(isControlledBy(older, { ...site, apiVersion: 'other.com/v1' })).toBe(false);
  });

  it('never accept one owner for another of the same name', () => {
    const stale = setControllerReference(make('Site', 'blog', { uid: 'uid-old' }), child);
    expect(isControlledBy(stale, site)).toBe(false);
    expect(isOwnedBy(stale, site)).toBe(false);
    for (const set of [setControllerReference, setOwnerReference])
      expect(() => set(site, stale)).toThrow(
        'Secret ns/blog is already controlled by Site blog with uid uid-old',
      );
    expect(() => setControllerReference(make('Site', 'other'), stale)).toThrow(/already controlled/);
  });

  it.each([
    ['in another namespace', site, make('Secret', 'x', { namespace: 'elsewhere' }), 'cannot own'],
    ['of a cluster-wide object', site, { ...child, metadata: { name: 'x' } }, 'in no namespace'],
    ['that a dry run made', make('Site', 'blog', { uid: '' }), child, 'no uid'],
  ])('refuse an owner %s', (_title, owner, object, message) => {
    expect(() => setControllerReference(owner, object)).toThrow(message);
  });

  it('allow a cluster-wide owner anywhere', () => {
    const wide = { ...site, metadata: { name: 'wide', uid: 'u', resourceVersion: '1' } };
    expect(isControlledBy(setControllerReference(wide, child), wide)).toBe(true);
  });
});
