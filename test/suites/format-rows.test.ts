import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { formatRows, missedOf } from './format-rows.ts';
import { readReport } from './read-report.ts';

const folder = mkdtempSync(join(tmpdir(), 'kubewright-suites-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What Ginkgo reports of specs `It`, each a state with the titles above its own. */
function outcomeOf(...specs: readonly (readonly [state: string, text: string, attempts?: number])[]) {
  const path = join(folder, 'report.json');
  const reports = specs.map(([State, LeafNodeText, NumAttempts = 1]) => ({
    State,
    NumAttempts,
    LeafNodeText,
    LeafNodeType: LeafNodeText === '' ? 'BeforeSuite' : 'It',
    ContainerHierarchyTexts: LeafNodeText === '' ? null : ['Client'],
    Failure: { Message: 'Expected\n  one', Location: { FileName: 'a_test.go', LineNumber: 7 } },
  }));
  writeFileSync(path, JSON.stringify([{ SpecReports: reports }]));
  return { ...readReport(path), seconds: 1.25, megabytes: 99.6 };
}

test('a spec that passes on the real control plane alone is missed, and the report says where it failed', () => {
  const real = outcomeOf(['passed', 'gets'], ['passed', 'lists'], ['failed', 'waits'], ['skipped', 'runs']);
  const ours = outcomeOf(['passed', 'gets'], ['failed', 'lists'], ['passed', 'waits'], ['pending', 'runs']);
  expect(missedOf({ title: 'x', real, ours })).toEqual(['Client lists']);
  expect(ours.failures.get('Client lists')).toBe('failed at a_test.go:7: Expected one');
});

test('two specs of the same title are two', () => {
  const real = outcomeOf(['passed', 'gets'], ['passed', 'gets']);
  const ours = outcomeOf(['failed', 'gets'], ['passed', 'gets']);
  expect(missedOf({ title: 'x', real, ours })).toEqual(['Client gets']);
});

test('all is missed where the control plane does not start, or the suite leaves no report', () => {
  const real = outcomeOf(['passed', ''], ['passed', 'gets']);
  const ours = outcomeOf(['failed', ''], ['skipped', 'gets']);
  const none = { ...readReport(join(folder, 'none.json')), seconds: 1, megabytes: 0 };
  expect(missedOf({ title: 'x', real, ours })).toEqual(['Client gets']);
  expect([...ours.failures.keys()]).toEqual(['BeforeSuite']);
  expect(missedOf({ title: 'x', real, ours: none })).toEqual(['Client gets']);
});

test('the table has a line for each package, with the specs that did not pass at their first attempt', () => {
  const real = outcomeOf(['passed', 'gets', 2]);
  const ours = outcomeOf(['passed', 'gets'], ['passed', 'lists']);
  expect(formatRows([{ title: 'jobset/webhook', real, ours }]).split('\n')).toEqual([
    'suite           real  ours  both  again real  again ours  s real  s ours  MB real  MB ours',
    'jobset/webhook     1     2     1           1           0     1.3     1.3      100      100',
  ]);
});
