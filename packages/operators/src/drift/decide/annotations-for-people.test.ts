import type { JsonObject } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { ANNOTATIONS } from '../api.ts';
import {
  approvals,
  child,
  create,
  CTL,
  decided,
  NOW,
  site,
  update,
  withAnnotations,
} from '../testing/objects.ts';
import { decideAdmission } from './decide-admission.ts';
import { loosening } from './annotations-for-people.ts';

const { mode, freeze, rejections, phase, controllers } = ANNOTATIONS;
const LABEL = { 'kausality.io/trace-ticket': 'J-1' };
const parent = site({ annotations: { [freeze]: 'true', [rejections]: '[{"name":"*"}]' } });
const system = {
  [phase]: parent.metadata.annotations?.[phase],
  [controllers]: parent.metadata.annotations?.[controllers],
};

/** A write of the parent's annotations; with its spec where `spec` is given. */
const write = (annotations: Readonly<Record<string, string>>, user: string, spec: JsonObject = {}) =>
  update(parent, { object: { ...withAnnotations(parent, annotations), spec }, user });
const OPEN = { [mode]: 'log', ...approvals({ mode: 'always' }), ...LABEL };

test('DRF-44 a controller approves nothing on its own object, and neither unfreezes it nor chooses its mode', () => {
  const kept = { [freeze]: 'true', [rejections]: '[{"name":"*"}]', ...LABEL };
  const decision = decided(write(OPEN, CTL), undefined);
  expect(decision.annotations).toEqual({ ...system, ...kept });
  expect(decision.warning).toMatch(
    /a controller does not approve its own changes; left as they were: kausality/,
  );
  expect(decided(write(OPEN, CTL, { color: 'blue' }), undefined).annotations).toMatchObject(kept);
  expect(decided(write(OPEN, CTL, { color: 'blue' }), undefined).annotations).not.toHaveProperty(mode);
});

test('DRF-44 neither does it on its child', () => {
  const old = child();
  const object = withAnnotations(old, { ...old.metadata.annotations, ...OPEN });
  expect(decided(update(old, { object }), site()).annotations).toEqual(old.metadata.annotations);
});

test('DRF-44 where administrators and controllers share one user, that user approves', () => {
  const facts = { mode: 'enforce', isEnding: false, approvesItself: true } as const;
  const decision = decideAdmission(write(OPEN, CTL), facts, NOW);
  expect(decision.annotations).toMatchObject({ [mode]: 'log', ...LABEL });
  expect(decision).not.toHaveProperty('warning');
});

test('what people write is stored, and lets more through than before', () => {
  const { annotations = {} } = decided(write(OPEN, 'alice'), undefined);
  expect(annotations).toMatchObject({ [mode]: 'log', ...LABEL });
  expect(loosening(parent, annotations)).toEqual([ANNOTATIONS.approvals, rejections, freeze, mode]);
  expect(loosening(undefined, decided(create(parent, 'alice'), undefined).annotations ?? {})).toEqual([]);
});

const at = (annotations: Readonly<Record<string, string>>) => site({ annotations });
const POD = { apiVersion: 'v1', kind: 'Pod', name: 'a' };
const ALWAYS = approvals({ mode: 'always' });

test.each([
  ['an approval is added', {}, ALWAYS, ['approvals']],
  ['an approval is changed', ALWAYS, approvals({ mode: 'always', name: '*' }), ['approvals']],
  ['a reserved approval is opened again', approvals({ reservedFor: POD }), approvals({}), ['approvals']],
  ['an approval is reserved', ALWAYS, approvals({ mode: 'always', reservedFor: POD }), []],
  [
    'a reserved approval is for another',
    approvals({ reservedFor: POD }),
    approvals({ reservedFor: { ...POD, name: 'b' } }),
    ['approvals'],
  ],
  ['an approval goes', approvals({ mode: 'always' }, { mode: 'once' }), ALWAYS, []],
  ['approvals cannot be read any more', ALWAYS, { [ANNOTATIONS.approvals]: '{' }, []],
  ['rejections that nobody can read go', { [rejections]: '{' }, {}, ['rejections']],
  ['a rejection comes', {}, { [rejections]: '[{"name":"*"}]' }, []],
  ['a freeze comes', {}, { [freeze]: 'true' }, []],
  ['a freeze is explained', { [freeze]: 'true' }, { [freeze]: '{"message":"incident"}' }, []],
  ['a freeze is switched off', { [freeze]: 'true' }, { [freeze]: 'false' }, ['freeze']],
  ['drift is denied from now on', { [mode]: 'log' }, { [mode]: 'enforce' }, []],
  ['the policy says from now on', { [mode]: 'enforce' }, {}, ['mode']],
  ['the mode is no word', { [mode]: 'log' }, { [mode]: 'off' }, []],
])('more is let through: %s', (_what, before, after, keys) => {
  const { annotations = {} } = at(after).metadata;
  expect(loosening(at(before), annotations)).toEqual(keys.map((key) => `kausality.io/${key}`));
});
