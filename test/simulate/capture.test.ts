import { type RunResult, runWorld, type WorldFault } from '@kubewright/cluster';
import type { ManifestCaptureRequest } from '@kubewright/operators';
import { describe, expect, test } from 'vitest';
import { isLong, seeds, some } from '../support/seeds.ts';
import { captureScenario } from './capture.ts';
import { captureVariants } from './capture-variants.ts';
import { playWorlds } from './play-worlds.ts';

/** `npm run simulate -- capture --seeds N` plays more of them. */
const SEEDS = seeds(1, 5);

test(`the capture operator masters ${SEEDS.length} worlds, and nothing is left behind`, async () => {
  await playWorlds('capture', captureScenario(), SEEDS);
});

/** Of the worlds whose faults are given. */
const SEED = 1;

const play = (faults: readonly WorldFault[]) => runWorld({ seed: SEED, scenario: captureScenario(), faults });

/** The operator's calls that ended requests. */
function endingCalls({ history, trace }: RunResult): readonly { call: number; path: string }[] {
  const ended = new Set<string>();
  return history.all.flatMap(({ object: { metadata, ...object } }) => {
    const { completionTimestamp } = (object as Partial<ManifestCaptureRequest>).status ?? {};
    if (completionTimestamp === undefined || ended.has(metadata.uid)) return [];
    ended.add(metadata.uid);
    const answer = new RegExp(`operator #(\\d+) PATCH (\\S+) 200 at ${metadata.resourceVersion}$`);
    const [, call, path = ''] = trace.flatMap((line) => answer.exec(line) ?? []);
    return [{ call: Number(call), path }];
  });
}

test('CAP-27 a crash right after the write that ends a request: it stays as it is, and nothing ends it again', async () => {
  const calm = await play([]);
  expect(calm).not.toHaveProperty('failure');
  const ends = endingCalls(calm);
  expect(ends.map(({ path }) => path).toSorted()).toEqual([
    expect.stringContaining('/manifestcapturerequests/all-0/status'),
    expect.stringContaining('/manifestcapturerequests/brief/status'),
    expect.stringContaining('/manifestcapturerequests/selected-all-0/status'),
    expect.stringContaining('/volumecapturerequests/detach-0/status'),
    expect.stringContaining('/volumecapturerequests/volume-0/status'),
    expect.stringContaining('/namespaces/default/volumerestorerequests/volume-0/status'),
    expect.stringContaining('/namespaces/elsewhere/volumerestorerequests/volume-0/status'),
  ]);
  // `npm run test:long` plays all of them.
  for (const { call, path } of isLong ? ends : ends.slice(-2)) {
    // The cache of the process that comes next still shows the request as it was before.
    const behind = { restartAfter: 1000, behind: 3, stale: 9000 };
    const { failure, trace } = await play([
      { type: 'crash', component: 'operator', call, when: 'after', ...behind },
    ]);
    expect(failure, path).toBeUndefined();
    const crash = trace.findIndex((line) => line.includes('crash after'));
    expect(trace[crash]).toContain(path);
    expect(trace.slice(crash + 1).filter((line) => line.includes(`PATCH ${path}`))).toEqual([]);
  }
});

/** What is seen of each without any fault, in the world that the operator itself masters above. */
const FOUND = {
  hasty: 'a Completed capture is whole: brief is Completed, its checkpoint is not Ready',
  careless: 'a volume outlives its claim: detach-0 was deleted while its volume would not be kept',
  impatient: 'a Completed snapshot is ready: volume-0 is Completed before its snapshot is ready',
} as const;

/** Which defects of the original the variants have. */
const DEFECTS: Readonly<Record<string, string>> = {
  hasty: 'CAP-D8',
  careless: 'CAP-D15',
  impatient: 'CAP-17',
};
const CAUGHT = Object.entries(FOUND).map(([name, failure]) => [DEFECTS[name] ?? '', name, failure] as const);

describe(`an operator that is broken on purpose is caught by seed ${SEED}`, () => {
  test.each(some(1, CAUGHT))('%s %s', async (_defect, name, failure) => {
    const scenario = captureScenario(captureVariants[name]);
    expect((await runWorld({ seed: SEED, scenario, faults: [] })).failure).toBe(failure);
  });

  test('all of them', () => {
    expect(Object.keys(FOUND)).toEqual(Object.keys(captureVariants));
  });
});
