import { expect, test } from 'vitest';
import { writesIn } from './count-writes.ts';
import type { Arm } from './scenario.ts';
import { tally } from './tally.ts';

const CONTROLLER = 'system:serviceaccount:web:web';

type Told = {
  readonly arm: Arm;
  readonly drift?: boolean;
  readonly code?: number;
  readonly verb?: string;
  readonly version?: string;
};

const event = (
  { arm, drift, code = 200, verb = 'update', version }: Told,
  second: number,
  user = CONTROLLER,
) => ({
  verb,
  user: { username: 'somebody' },
  impersonatedUser: { username: user },
  objectRef: { apiGroup: 'apps', resource: 'deployments', namespace: `web-${arm}`, name: 'one' },
  responseStatus: { code },
  ...(version && { responseObject: { metadata: { uid: arm, resourceVersion: version } } }),
  requestReceivedTimestamp: `2026-01-01T10:00:${second}.000000Z`,
  annotations: drift === undefined ? {} : { [`web-${arm}.drift.kubewright.io/drift`]: String(drift) },
});
const armOf = (namespace: string): Arm => namespace.slice('web-'.length) as Arm;
const tallied = (told: readonly Told[], planted?: number) =>
  tally(writesIn(told.map((one, index) => event(one, index + 10))), {
    controller: CONTROLLER,
    armOf,
    plantedFrom: planted === undefined ? undefined : `2026-01-01T10:00:${planted}.000000Z`,
  });

test('drift before anything is planted is judged false, and drift afterwards is caught', () => {
  const { falseAlarms, drift, expected, missed } = tallied(
    [
      { arm: 'log', drift: false },
      { arm: 'log', drift: true },
      { arm: 'log', drift: true },
      { arm: 'enforce', drift: true, code: 403 },
    ],
    12,
  );
  expect(falseAlarms).toMatchObject([{ at: '2026-01-01T10:00:11.000000Z', resource: 'deployments.apps' }]);
  expect({ drift, expected, missed }).toEqual({ drift: 2, expected: 1, missed: [] });
});

test('what is planted is missed where nobody calls it drift, and where it is allowed in enforce', () => {
  expect(tallied([], 10).missed).toEqual(['nothing in log', 'nothing in enforce']);
  const allowed: Told = { arm: 'enforce', drift: true };
  expect(tallied([{ arm: 'log', drift: true }, allowed], 10).missed).toEqual(['allowed in enforce']);
});

test('a write that is stored more often with a policy than without is one too many', () => {
  const write = (arm: Arm, code = 200): Told => ({ arm, code });
  const same = tallied([write('plain'), write('log'), write('enforce'), write('enforce', 409)]);
  expect(same.extra).toEqual([]);
  expect(same.writes).toEqual({ plain: 1, log: 1, enforce: 1 });
  expect(tallied([write('plain'), write('log'), write('log')]).extra).toEqual([
    'log: update deployments.apps 2, not 1',
  ]);
});

test.each([
  ['patch', 'patch deployments.apps 5, not 1'],
  ['update', 'update deployments.apps again 4, not 0'],
])(
  'what a %s sends again as it is, is not counted, and is one too many where it comes for ever',
  (verb, why) => {
    const send = (arm: Arm): Told => ({ arm, verb, version: '7' });
    const again = (times: number) => Array.from({ length: times }, () => send('log'));
    const { writes, extra } = tallied([send('plain'), ...again(3)]);
    expect({ writes, extra }).toEqual({ writes: { plain: 1, log: 1, enforce: 0 }, extra: [] });
    expect(tallied([send('plain'), ...again(5)]).extra).toEqual([`log: ${why}`]);
  },
);

test('a pod that somebody has deleted before is deleted again more or less often, but not for ever', () => {
  const by = (arm: Arm, uid: string, user?: string) => {
    const response = { kind: 'Status', metadata: {}, details: { uid } };
    return { ...event({ arm, verb: 'delete' }, 10, user), responseObject: response };
  };
  const about = { controller: CONTROLLER, armOf, plantedFrom: undefined };
  const again = (times: number) => Array.from({ length: times }, () => by('log', 'a'));
  const deletedByAlice = [by('log', 'a', 'alice'), by('plain', 'b')];
  const { writes, extra } = tally(writesIn([...deletedByAlice, ...again(2)]), about);
  expect({ writes, extra }).toEqual({ writes: { plain: 1, log: 0, enforce: 0 }, extra: [] });
  expect(tally(writesIn([...deletedByAlice, ...again(3)]), about).extra).toEqual([
    'log: delete deployments.apps again 3, not 0',
  ]);
  expect(tally(writesIn([by('log', 'c'), by('log', 'd')]), about).extra).toEqual([
    'log: delete deployments.apps 2, not 0',
  ]);
});

test('reads, Events and leases are no writes of objects', () => {
  const { objectRef, ...rest } = event({ arm: 'log' }, 10);
  const of = (resource: string, verb = 'create') => ({
    ...rest,
    verb,
    objectRef: { ...objectRef, resource },
  });
  expect(writesIn([of('events'), of('leases'), of('deployments', 'get')])).toEqual([]);
});
