import { readFileSync } from 'node:fs';
import { parseYaml } from '@kubewright/kube/yaml';
import { expect, test } from 'vitest';
import type { ApprovalPolicy } from '../approval-policy/approval-policies.ts';
import { readPolicy } from '../approval-policy/read-policy.ts';
import type { LoggedDecision } from '../decision-log/decision-logs.ts';
import { simulationText } from './simulate.ts';
import { loggedDrifts, simulatePolicies } from './simulate-policies.ts';

const PAGE = readFileSync(new URL('../../../../../docs/drift.md', import.meta.url), 'utf8');
const section = PAGE.slice(PAGE.indexOf('## Approve by rules'), PAGE.indexOf('## Stop drift that spreads'));

/** The controller paints. */
const painted = (time: string, theme: string, fields = ['data.theme']): LoggedDecision => ({
  time,
  times: 1,
  operation: 'UPDATE',
  object: { apiVersion: 'v1', kind: 'ConfigMap', name: 'web' },
  parentGeneration: 4,
  user: 'system:serviceaccount:sites:controller',
  reason: 'Drift',
  allowed: true,
  mode: 'log',
  fields,
  trace: [{ apiVersion: 'example.com/v1', kind: 'Site', name: 'web', user: 'alice', timestamp: time }],
  hops: 1,
  seen: { new: JSON.stringify({ data: { theme } }) },
});

test('the page shows what drift simulate prints', () => {
  const [, yaml = ''] = /```yaml\n([^`]+)```/.exec(section) ?? [];
  const [, printed = ''] = /\$ kubewright drift simulate [^\n]+\n([^`]+)```/.exec(section) ?? [];
  const policy = parseYaml(yaml).value as ApprovalPolicy;
  const rules = policy.spec.rules.map((rule) => ({ ...rule, name: '*', mode: 'always' as const }));
  const { rules: read, problems } = readPolicy({ ...policy, spec: { ...policy.spec, rules } });
  expect(problems).toEqual([]);
  const log = {
    apiVersion: 'kausality.io/v1alpha1',
    kind: 'DecisionLog',
    metadata: { name: 'p-1', namespace: 'shop', uid: 'l-1', resourceVersion: '1', creationTimestamp: '' },
    spec: {
      parent: { apiVersion: 'example.com/v1', kind: 'Site', name: 'web' },
      decisions: [
        painted('2026-01-05T11:00:00Z', 'dark'),
        painted('2026-01-05T22:30:00Z', 'dark'),
        painted('2026-01-06T02:00:00Z', 'light'),
        painted('2026-01-06T03:00:00Z', 'pink', ['data.color', 'data.theme']),
      ],
    },
  };
  expect(simulationText(simulatePolicies(read, loggedDrifts([log])), 'shop')).toBe(printed);
});
