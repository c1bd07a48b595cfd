import { type RunResult, runWorld, type WorldFault } from '@kubewright/cluster';
import { beforeAll, describe, expect, test } from 'vitest';
import { some } from '../support/seeds.ts';
import { crashAtCall, crashAtRecord, recordOf } from './migration/crash-at.ts';
import { migrationScenario } from './migration/migration.ts';
import { journalOf } from './migration/status-of.ts';

// An operator that is not alone, sees the past, or cannot write. In each of these worlds the pod's consumer runs in the end and has
// applied each message once, each handover had one mirror, and none is left: the scenario sees to it.

async function play(faults: readonly WorldFault[]): Promise<RunResult> {
  const scenario = { ...migrationScenario({}), stableFor: 60_000 };
  const result = await runWorld({ seed: 1, scenario, faults });
  expect(result).not.toHaveProperty('failure');
  return result;
}

/** The lines of a trace that match. */
function callsOf({ trace }: RunResult, call: RegExp): readonly string[] {
  return trace.filter((line) => call.test(line));
}

const WRITE = /^(\d+) (operator-\d) #\d+ (?:POST|PATCH|DELETE) \S+\/(?:pods|statefulmigrations)\S* 2/;

/** When this operator, or another one, wrote anything of a migration. */
function writesOf({ trace }: RunResult, component: string, whose: 'own' | 'others'): readonly number[] {
  return trace
    .map((line) => WRITE.exec(line))
    .filter((found) => found !== null && (found[2] === component) === (whose === 'own'))
    .map((found) => Number(found?.[1]));
}

const CREATION = /operator-\d #\d+ POST \S+\/pods\S* 201/;
const DELETION = /operator-\d #\d+ DELETE \S+\/pods\/consumer-0[ ?]/;
const WATCH = /(operator-\d) #(\d+) GET \S+\/statefulmigrations\?watch=true/;

describe('an operator', () => {
  let calm: RunResult;
  beforeAll(async () => {
    calm = await play([]);
  });

  test.each(some(1, ['Quiesce', 'TakeOver']))(
    'MIG-39 that is frozen at %s, and wakes up when another one leads: one of them acts',
    async (step) => {
      const { component } = crashAtRecord(calm, 'after', 'TakeOver');
      const { at } = recordOf(calm, step);
      const frozenFor = (ms: number) => [{ type: 'pause', component, at, ms }] as const;
      const long = await play(frozenFor(100_000));
      const led = writesOf(long, component, 'others').find((time) => time > at) ?? 0;
      expect(led).toBeGreaterThan(at);
      const result = await play(frozenFor(led + 1000 - at));
      expect(writesOf(result, component, 'others').filter((time) => time > led + 1000)).not.toEqual([]);
      expect(writesOf(result, component, 'own').filter((time) => time > led + 1000)).toEqual([]);
      expect(callsOf(result, CREATION)).toHaveLength(1);
      expect(journalOf(result)).toEqual(journalOf(calm));
    },
  );

  test('MIG-40 whose cache lags by seconds repeats no step', async () => {
    const { component, call } = crashAtCall(calm, 'after', leadersWatch(calm));
    const result = await play([{ type: 'lag', component, call, ms: 2000 }]);
    expect(callsOf(result, CREATION)).toHaveLength(1);
    expect(callsOf(result, DELETION)).toHaveLength(1);
    expect(journalOf(result)).toEqual(journalOf(calm));
  });

  test.each(some(1, [409, 500] as const))(
    'MIG-41 whose status is not stored, for %i, does not do the step: no shadow is created before that is on record',
    async (status) => {
      const { component, call } = crashAtRecord(calm, 'before', 'CreateShadow');
      const result = await play([{ type: 'errorResponse', component, call, status }]);
      expect(callsOf(result, new RegExp(`${component} #${call} PATCH .* ${status}`))).toHaveLength(1);
      const { resourceVersion } = recordOf(result, 'CreateShadow').object.metadata;
      const recorded = result.trace.findIndex((line) => line.endsWith(` 200 at ${resourceVersion}`));
      const created = result.trace.findIndex((line) => CREATION.test(line));
      expect(recorded).toBeGreaterThan(0);
      expect(created).toBeGreaterThan(recorded);
      expect(journalOf(result)).toEqual(journalOf(calm));
    },
  );
});

/** The one that leads writes the steps. */
function leadersWatch(calm: RunResult): RegExp {
  const { component } = crashAtRecord(calm, 'after', 'TakeOver');
  return new RegExp(WATCH.source.replace('operator-\\d', component));
}
