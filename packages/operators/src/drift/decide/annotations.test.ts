import { describe, expect, test } from 'vitest';
import { ANNOTATIONS } from '../api.ts';
import {
  approvals,
  child,
  create,
  CTL,
  decided,
  resized,
  site,
  traceIn,
  update,
  users,
  withAnnotations,
} from '../testing/objects.ts';

const { trace, updaters, controllers, observedGeneration, phase, freeze } = ANNOTATIONS;
const LABELLED = { 'kausality.io/trace-ticket': 'J-1' };
const own = { uid: 'd-1', generation: 7, ownerReferences: [] };
const root = (annotations = {}) => child({ metadata: { ...own, annotations } });
const hop = (user: string, generation: number) =>
  JSON.stringify([{ apiVersion: 'v1', kind: 'K', name: 'n', generation, user, timestamp: 'then' }]);

describe('a root object', () => {
  test('DRF-1 DRF-46 DRF-80 created by alice has a trace of one hop, her hash, and the labels that she gave', () => {
    const decision = decided(create(root(), 'alice'), undefined, 'log');
    expect(traceIn(decision)).toEqual([
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: 'web',
        generation: 1,
        user: 'alice',
        timestamp: '2026-01-01T10:00:00Z',
      },
    ]);
    expect(Object.keys(decision.annotations ?? {})).toEqual([trace, updaters]);
    const { trace: audited, ...audit } = decision.audit ?? {};
    expect(audit).toEqual({ decision: 'allowed', drift: 'false', mode: 'log' });
    expect(audited).toBe(decision.annotations?.[trace]);
    const labelled = decided(create(root(LABELLED), 'alice'), undefined);
    expect(traceIn(labelled)).toMatchObject([{ labels: { ticket: 'J-1' } }]);
    expect(labelled.annotations).toMatchObject(LABELLED);
  });

  test('DRF-2 with another label only is left as it is sent', () => {
    const old = root({ [trace]: hop('alice', 7) });
    const object = { ...old, metadata: { ...old.metadata, labels: { team: 'shop' } } };
    expect(decided(update(old, { object, user: 'alice' }), undefined)).toEqual({
      reason: 'Metadata',
      allowed: true,
    });
  });

  test('DRF-3 DRF-4 with another spec by bob has his trace; alice and bob have written it, each once', () => {
    const old = root({ [trace]: hop('alice', 7), [updaters]: users('alice') });
    const byBob = decided(update(old, { user: 'bob' }), undefined);
    expect(traceIn(byBob)).toMatchObject([{ user: 'bob', generation: 8 }]);
    expect(byBob.annotations?.[updaters]).toBe(users('alice', 'bob'));
    const byAlice = decided(update(old, { user: 'alice' }), undefined);
    expect(byAlice.annotations?.[updaters]).toBe(users('alice'));
  });

  test('DRF-5 forgets the first two of seven writers', () => {
    let list = '';
    for (const user of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
      const { annotations = {} } = decided(update(root({ [updaters]: list }), { user }), undefined);
      list = annotations[updaters] ?? '';
    }
    expect(list).toBe(users('c', 'd', 'e', 'f', 'g'));
  });
});

describe('a write of the status', () => {
  const parent = (annotations = {}) =>
    withAnnotations(site(), { other: 'x', [trace]: hop('alice', 3), ...annotations });
  const status = (old = parent(), changes = {}) => ({
    ...update(old),
    isStatus: true,
    object: { ...old, ...changes },
  });

  test('DRF-7 DRF-8 tells who the controller is and which generation it has seen, and nothing else changes', () => {
    const first = decided(status(), undefined);
    expect(first).toMatchObject({ reason: 'Status', allowed: true });
    expect(first).not.toHaveProperty('audit');
    expect(first.annotations).toEqual({
      ...parent().metadata.annotations,
      [controllers]: users(CTL),
      [observedGeneration]: '3',
    });
    const old = parent({ [controllers]: users(CTL), [observedGeneration]: '3' });
    const next = decided(status({ ...old, metadata: { ...old.metadata, generation: 4 } }), undefined);
    expect(next.annotations).toMatchObject({ [controllers]: users(CTL), [observedGeneration]: '4' });
  });

  test('DRF-9 keeps what the object has of ours, whatever is sent', () => {
    const old = parent(approvals({ mode: 'always' }));
    const object = withAnnotations(old, {
      [trace]: hop('mallory', 1),
      [updaters]: 'x',
      [phase]: 'initialized',
      mine: 'y',
    });
    const { annotations } = decided(status(old, object), undefined);
    expect(annotations).toMatchObject({
      mine: 'y',
      [trace]: hop('alice', 3),
      ...approvals({ mode: 'always' }),
    });
    expect(annotations).not.toHaveProperty(updaters);
    expect(annotations).not.toHaveProperty(phase);
  });

  test('DRF-32 that is ready makes the object initialized, in lower case', () => {
    const conditions = [{ type: 'Ready', status: 'True' }];
    const { annotations } = decided(status(parent(), { status: { conditions } }), undefined);
    expect(annotations?.[phase]).toBe('initialized');
    const flapped = { status: { conditions: [{ type: 'Ready', status: 'False' }] } };
    expect(decided(status(parent(), flapped), undefined).annotations).not.toHaveProperty(phase);
    const after = decided(status(parent({ [phase]: 'initialized' }), flapped), undefined);
    expect(after.annotations?.[phase]).toBe('initialized');
  });
});

describe('what a controller copies', () => {
  const parent = site({
    status: { observedGeneration: 2 },
    annotations: {
      [trace]: hop('alice', 3),
      [freeze]: 'false',
      ...approvals({ mode: 'once', generation: 3 }),
    },
  });
  const copied = { ...parent.metadata.annotations, ...LABELLED, 'team.example.com/name': 'shop' };

  test('DRF-38 of ours is gone when it creates a child, but for a trace of its own', () => {
    const { annotations = {}, ...decision } = decided(create(child({ annotations: copied })), parent);
    expect(Object.keys(annotations).toSorted()).toEqual([trace, updaters, 'team.example.com/name']);
    expect(traceIn({ ...decision, annotations })).toMatchObject([
      { user: 'alice' },
      { user: CTL, generation: 1 },
    ]);
    expect(annotations[updaters]).toBe(users(CTL));
  });

  const stored = {
    [trace]: hop('bob', 7),
    [updaters]: users(CTL),
    ...approvals({ mode: 'always' }),
    ...LABELLED,
  };

  test('DRF-39 DRF-40 of ours is undone in a child, the same way each time, and other annotations are its own', () => {
    const old = child({ annotations: stored });
    const object = withAnnotations(old, { ...copied, 'kausality.io/trace-ticket': 'X', [updaters]: 'zzzzz' });
    const first = decided(update(old, { object }), site());
    expect(first.annotations).toEqual({ ...stored, 'team.example.com/name': 'shop' });
    for (let times = 0; times < 100; times++) expect(decided(update(old, { object }), site())).toEqual(first);
  });

  test('DRF-41 with another spec changes the trace and the writers, and nothing else of ours', () => {
    const old = child({ annotations: { ...stored, [controllers]: users('replicasets') } });
    const sent = {
      [controllers]: users('x'),
      [updaters]: users('y'),
      ...approvals({ mode: 'once' }),
      [freeze]: 'true',
    };
    const decision = decided(update(old, { object: resized(withAnnotations(old, sent)) }), parent);
    const { [trace]: _trace, ...rest } = decision.annotations ?? {};
    expect(rest).toEqual({
      ...approvals({ mode: 'always' }),
      ...LABELLED,
      [controllers]: users('replicasets'),
      [updaters]: users(CTL),
    });
    expect(traceIn(decision)).toMatchObject([{ user: 'alice' }, { user: CTL, labels: { ticket: 'J-1' } }]);
  });
});

describe('what people write', () => {
  const old = child({ annotations: { ...approvals({ mode: 'always' }), [controllers]: users('x') } });

  test('DRF-42 counts: labels of the hop come, approvals go', () => {
    const object = resized(withAnnotations(old, LABELLED));
    const decision = decided(update(old, { object, user: 'alice' }), site());
    expect(traceIn(decision)).toMatchObject([{ user: 'alice', labels: { ticket: 'J-1' } }]);
    expect(decision.annotations).toMatchObject({ ...LABELLED, [controllers]: users('x') });
    expect(decision.annotations).not.toHaveProperty(ANNOTATIONS.approvals);
  });

  test('DRF-43 freezes and approves without another spec; what the webhook keeps is kept', () => {
    const sent = {
      [freeze]: 'true',
      [controllers]: 'zzzzz',
      [phase]: 'initialized',
      ...approvals({ mode: 'always' }),
    };
    const { annotations } = decided(
      update(old, { object: withAnnotations(old, sent), user: 'alice' }),
      site(),
    );
    const kept = { [controllers]: users('x'), [updaters]: users(CTL) };
    expect(annotations).toEqual({ [freeze]: 'true', ...approvals({ mode: 'always' }), ...kept });
    const frozen = withAnnotations(old, { ...annotations, [trace]: hop('alice', 7) });
    const forged = { [trace]: '[]', [updaters]: 'zzzzz', [observedGeneration]: '9' };
    const object = withAnnotations(frozen, { ...forged, ...approvals({ mode: 'always', name: '*' }) });
    const next = decided(update(frozen, { object, user: 'alice' }), site());
    expect(next.annotations).toEqual({
      ...kept,
      [trace]: hop('alice', 7),
      [ANNOTATIONS.approvals]: expect.stringContaining('"name":"*"'),
    });
  });

  test('an approval bears the name of whoever writes it', () => {
    const sent = approvals({ mode: 'always' }, { mode: 'once', generation: 3, by: 'mallory' });
    const { annotations } = decided(
      update(old, { object: withAnnotations(old, sent), user: 'alice' }),
      site(),
    );
    expect(JSON.parse(annotations?.[ANNOTATIONS.approvals] ?? '')).toMatchObject([
      { mode: 'always' },
      { mode: 'once', by: 'alice', at: '2026-01-01T10:00:00Z' },
    ]);
  });

  test('DRF-45 our own account changes what it likes', () => {
    const object = withAnnotations(old, { [phase]: 'initialized' });
    expect(decided(update(old, { object, isOwn: true }), site()).annotations).toEqual({
      [phase]: 'initialized',
    });
  });
});

test('a second call of the same write changes nothing', () => {
  const old = root();
  const first = decided(update(old, { user: 'alice' }), undefined);
  const object = withAnnotations(resized(old), first.annotations ?? {});
  const again = decided(update(old, { object, user: 'alice' }), undefined);
  expect(again.annotations).toEqual(first.annotations);
});
