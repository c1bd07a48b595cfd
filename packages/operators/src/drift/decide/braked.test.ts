import { expect, test } from 'vitest';
import { ANNOTATIONS } from '../api.ts';
import { freezeOf } from '../annotations/freeze-of.ts';
import { child, decided, NOW, site, update } from '../testing/objects.ts';
import { type Braked, brakeEvent, freezeText, frozenFacts } from './braked.ts';

const PLACE = { apiVersion: 'example.com/v1', kind: 'Site', namespace: 'shop', name: 'web' };
const BRAKED: Braked = {
  counted: 'drifts',
  limit: 10,
  window: '10m',
  origin: { ...PLACE, user: 'alice' },
  tree: [PLACE],
};

test('a brake freezes the parent: whoever is denied reads why, and since when', () => {
  const facts = frozenFacts({ parent: site(), mode: 'enforce', isEnding: false }, freezeText(BRAKED, NOW));
  const { allowed, reason, message } = decided(update(child()), facts.parent);
  expect({ allowed, reason }).toEqual({ allowed: false, reason: 'Frozen' });
  expect(message).toBe(
    'mutation blocked: parent frozen: more than 10 drifts below Site web within 10m (since 2026-01-01T10:00:00Z). ' +
      'Site web is frozen, so ReplicaSet web stays as it is; end it with: kubewright drift unfreeze site/web -n shop',
  );
  expect(facts.parent && freezeOf(facts.parent)?.tree).toEqual([PLACE]);
});

test('a parent that somebody has frozen keeps the freeze', () => {
  const parent = site({ annotations: { [ANNOTATIONS.freeze]: 'true' } });
  const facts = frozenFacts({ parent, mode: 'enforce', isEnding: false }, freezeText(BRAKED, NOW));
  expect(facts.parent).toBe(parent);
});

test('its Event names the origin, who changed it, and what is frozen, as far as there is room', () => {
  expect(brakeEvent(BRAKED, { mode: 'enforce' })).toEqual({
    type: 'Warning',
    reason: 'DriftBraked',
    message: 'more than 10 drifts below Site web within 10m, last changed by alice; frozen: Site web',
  });
  const tree = Array.from({ length: 7 }, (_, index) => ({ ...PLACE, name: `w${index}` }));
  const origin = { ...PLACE, user: '' };
  const many = brakeEvent({ ...BRAKED, counted: 'deletes', origin, tree }, { mode: 'log' });
  expect(many.message).toBe(
    'more than 10 deletions below Site web within 10m; mode log: not frozen: Site w0, Site w1, Site w2, Site w3, Site w4 and 2 more',
  );
});
