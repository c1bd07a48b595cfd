import { runWorld } from '@kubewright/cluster';
import { ownershipParts } from '@kubewright/operators';
import { expect, test } from 'vitest';
import { type OperatorDay, operatorScenario } from './operator-scenario.ts';
import { ownershipDay } from './ownership.ts';

/** Without faults: what fails then fails for want of rights. */
const failure = async (day: OperatorDay): Promise<string | undefined> =>
  (await runWorld({ seed: 1, scenario: operatorScenario(day), faults: [] })).failure;

test('an operator has the rules that it declares, and no others', async () => {
  const { anyKind: _all, ...withoutDeployments } = ownershipDay;
  const parts = ownershipParts.parts.map((part) => ({ ...part, rules: part.rules.slice(0, 1) }));

  expect(await failure(ownershipDay)).toBeUndefined();
  expect(await failure(withoutDeployments)).toContain('init containers are');
  expect(await failure({ ...ownershipDay, operator: { ...ownershipParts, parts } })).toBeDefined();
});
