import { readdirSync, readFileSync } from 'node:fs';
import type { KubeObject } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { ANNOTATIONS } from '../api.ts';
import { checkedPlan, describePlan } from '../commands/describe-plan.ts';
import { decidePlan } from '../decide/decide-plan.ts';
import { NOW, site } from '../testing/objects.ts';
import type { Plan } from './plan.ts';
import { readPlan } from './read-plan.ts';

/** What OpenTofu has planned: see `tools/plans/record.sh`. */
const FOLDER = new URL('../../../../../goldens/plans/', import.meta.url);
const read = (name: string): Plan => readPlan(readFileSync(new URL(`${name}.json`, FOLDER)), name);

const REJECT_ALL = [{ apiVersion: '*', kind: '*', name: '*', reason: 'no' }];
const PARENTS = {
  reconciled: site(),
  changed: site({ status: { observedGeneration: 2 } }),
  frozen: site({ annotations: { [ANNOTATIONS.freeze]: 'true' } }),
  rejecting: site({ annotations: { [ANNOTATIONS.rejections]: JSON.stringify(REJECT_ALL) } }),
} as const;

/** Each change as `action address`, then the reasons: reconciled, changed. */
type Expected = readonly (readonly [change: string, reconciled: string, changed: string])[];

const EXPECTED: Readonly<Record<string, Expected>> = {
  'tofu-create': [
    ['create terraform_data.web', 'Drift', 'Reconciling'],
    ['set output output.url', 'FollowsResources', 'Reconciling'],
  ],
  'tofu-no-change': [],
  'tofu-outputs-only': [
    ['set output output.token', 'Drift', 'Reconciling'],
    ['set output output.url', 'Drift', 'Reconciling'],
  ],
  'tofu-output-removed': [['remove output output.token', 'Drift', 'Reconciling']],
  'tofu-update-with-outputs': [
    ['update terraform_data.web', 'Drift', 'Reconciling'],
    ['set output output.token', 'FollowsResources', 'Reconciling'],
    ['set output output.url', 'FollowsResources', 'Reconciling'],
  ],
  'tofu-move': [['move terraform_data.web (was terraform_data.old)', 'Drift', 'Reconciling']],
  'tofu-move-refresh-only': [['move terraform_data.web (was terraform_data.old)', 'Drift', 'Reconciling']],
  'tofu-move-and-update': [['update terraform_data.web (was terraform_data.old)', 'Drift', 'Reconciling']],
  'tofu-forget': [['forget terraform_data.old', 'Drift', 'Reconciling']],
  'tofu-forget-destroy-false': [['forget terraform_data.web', 'Drift', 'Reconciling']],
  'tofu-forget-and-create': [['forget and create terraform_data.web', 'Drift', 'Reconciling']],
  'tofu-delete': [['delete terraform_data.old', 'Drift', 'Destructive']],
  'tofu-replace': [['replace terraform_data.web', 'Drift', 'Destructive']],
  'tofu-replace-create-first': [['replace terraform_data.web', 'Drift', 'Destructive']],
  'tofu-import': [['import terraform_data.web', 'Drift', 'Reconciling']],
  'tofu-import-and-update': [['update terraform_data.web (imported)', 'Drift', 'Reconciling']],
  'tofu-import-and-replace': [['replace terraform_data.web (imported)', 'Drift', 'Destructive']],
  'tofu-changed-outside': [['create local_file.page', 'Drift', 'Reconciling']],
  'tofu-refresh-only': [['refresh local_file.page', 'ChangedOutside', 'Reconciling']],
  'tofu-check-fails': [],
  'tofu-read-during-apply': [['create terraform_data.web', 'Drift', 'Reconciling']],
  'tofu-target': [['create terraform_data.web', 'Drift', 'Reconciling']],
};

const checked = (name: string, parent: KubeObject) => {
  const plan = read(name);
  return checkedPlan(plan, decidePlan(plan, parent, NOW), { parent, now: NOW });
};

test.each(Object.entries(EXPECTED))('DRF-106 %s has these changes, and these verdicts', (name, expected) => {
  const reasons = (parent: KubeObject) => checked(name, parent).changes.map(({ reason }) => reason);
  expect(reasons(PARENTS.reconciled)).toEqual(expected.map(([, reconciled]) => reconciled));
  expect(reasons(PARENTS.changed)).toEqual(expected.map(([, , changed]) => changed));
  expect(reasons(PARENTS.frozen)).toEqual(expected.map(() => 'Frozen'));
  expect(reasons(PARENTS.rejecting)).toEqual(expected.map(() => 'Rejected'));
  for (const parent of [PARENTS.frozen, PARENTS.rejecting])
    expect(checked(name, parent).allowed).toBe(expected.length === 0);
  const text = describePlan(checked(name, PARENTS.reconciled));
  const lines = text.split('\n').map((line) => line.split(/ {2,}/));
  expect(lines.flatMap(([title, action]) => (action === undefined ? [] : [`${action} ${title}`]))).toEqual(
    expect.arrayContaining(expected.map(([change]) => change)),
  );
  expect(text + JSON.stringify(read(name))).not.toContain('hunter2');
});

test('DRF-106 what was changed outside is listed, whatever the plan does about it', () => {
  for (const name of ['tofu-changed-outside', 'tofu-refresh-only']) {
    expect(read(name).outside).toEqual([{ address: 'local_file.page', action: 'delete' }]);
    const text = describePlan(checked(name, PARENTS.reconciled));
    expect(text).toMatch(/Changed outside of Terraform\n +local_file\.page +delete\n/);
  }
});

test('DRF-106 a check that fails is listed without its message, and decides nothing', () => {
  const result = checked('tofu-check-fails', PARENTS.reconciled);
  expect(result).toMatchObject({
    allowed: true,
    failingChecks: [{ address: 'check.health', status: 'fail' }],
  });
  expect(describePlan(result)).toMatch(
    /Checks that fail\n +check\.health +fail\n\nThe plan changes nothing\n/,
  );
});

test('DRF-106 a plan whose precondition fails is one that failed', () => {
  expect(() => read('tofu-precondition-fails')).toThrow('is of a plan that failed');
});

test('each plan that is recorded is tested', () => {
  const recorded = readdirSync(FOLDER).map((file) => file.replace('.json', ''));
  const tested = [...Object.keys(EXPECTED), 'tofu-precondition-fails'];
  expect(recorded.toSorted()).toEqual(tested.toSorted());
});
