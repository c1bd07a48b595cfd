import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { METRICS } from '../packages/kubewright/src/run/dashboards/metrics.data.ts';
import { metricsOfOperators } from '../tools/reference/metric-rows.ts';
import { referencePages } from '../tools/reference/reference-pages.ts';

const FOLDER = new URL('../docs/reference/', import.meta.url);

test('docs/reference is what `npm run reference` makes of the code', async () => {
  const pages = await referencePages();
  expect(readdirSync(FOLDER).toSorted()).toEqual([...pages.keys()].toSorted());
  for (const [name, text] of pages) expect(readFileSync(new URL(name, FOLDER), 'utf8'), name).toBe(text);
});

test('the dashboards are made of the metrics that `npm run reference` finds in the code', async () => {
  expect(METRICS).toEqual(await metricsOfOperators());
});
