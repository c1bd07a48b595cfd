import { readdirSync, readFileSync } from 'node:fs';
import { compareText, type JsonObject, type KubeObject } from '@kubewright/kube';
import { parseYamlStream } from '@kubewright/kube/yaml';
import { OPERATORS } from '@kubewright/operators';
import { describe, expect, test } from 'vitest';
import { runLine } from '../packages/kubewright/src/cli/testing/run-line.ts';

const PAGES = new URL('../docs/runbooks/', import.meta.url);
const REFERENCE = new URL('../docs/reference/', import.meta.url);
const LABELS = /\{[^}]*\}/g;

type Rule = {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
};
type Group = { readonly name: string; readonly rules: readonly Rule[] };

/** What `kubewright install --prometheus` gives to Prometheus. */
async function installed(): Promise<readonly Group[]> {
  const { out } = await runLine('install --prometheus');
  const objects = parseYamlStream(out) as readonly KubeObject[];
  const rule = objects.find(({ kind }) => kind === 'PrometheusRule');
  return ((rule?.['spec'] ?? {}) as JsonObject)['groups'] as unknown as readonly Group[];
}
const groups = await installed();
const rules = groups.flatMap((group) => group.rules);

/** Metrics that a manager serves, as the reference, which is made from the code, has them. */
const metrics = new Set(
  readdirSync(REFERENCE)
    .flatMap((name) => readFileSync(new URL(name, REFERENCE), 'utf8').split('\n'))
    .flatMap((line) => /^\| `(\w+)` \| (?:counter|gauge|histogram) \|/.exec(line)?.[1] ?? []),
);

test('every operator has alerts', () => {
  expect(groups.map(({ name }) => name).toSorted(compareText)).toEqual(
    OPERATORS.map(({ name }) => name).toSorted(compareText),
  );
});

describe.each(rules)('alert $alert', ({ alert, expr, annotations }) => {
  test('links to its page, which says what it means, where to look and what to do', () => {
    expect(annotations['runbook_url']).toMatch(new RegExp(`/docs/runbooks/${alert}\\.md$`));
    const page = readFileSync(new URL(`${alert}.md`, PAGES), 'utf8');
    expect(page.split('\n').filter((line) => line.startsWith('#'))).toEqual([
      `# ${alert}`,
      '## Look',
      '## Do',
    ]);
    expect(readFileSync(new URL('README.md', PAGES), 'utf8')).toContain(`[${alert}](${alert}.md)`);
  });

  test('reads metrics that the manager serves', () => {
    const names =
      expr.replaceAll(LABELS, '').match(/\b[a-z]+(?:_[a-z]+){2,}\b|\b(?:crm|migration|capture)_\w+/g) ?? [];
    const read = names.map((name) => name.replace(/_bucket$/, '')).filter((name) => name !== 'min_over_time');
    expect(read).not.toEqual([]);
    for (const name of read) expect(metrics, expr).toContain(name);
  });
});

test('every page is of an alert', () => {
  const pages = readdirSync(PAGES).filter((name) => name !== 'README.md');
  expect(pages.toSorted(compareText)).toEqual(rules.map(({ alert }) => `${alert}.md`).toSorted(compareText));
});
