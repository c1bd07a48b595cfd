// npm run reference: writes docs/reference, and the metrics of which dashboards are made. test/reference.test.ts checks that they
// are current.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { metricsOfOperators } from './metric-rows.ts';
import { referencePages } from './reference-pages.ts';

const folder = new URL('../../docs/reference/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, text] of await referencePages()) writeFileSync(new URL(name, folder), text);

const data = new URL('../../packages/kubewright/src/run/dashboards/metrics.data.ts', import.meta.url);
const text = `// Made by "npm run reference" from the declarations of the metrics; do not edit.
import type { DeclaredMetrics } from './declared-metrics.ts';

export const METRICS: Readonly<Record<string, DeclaredMetrics>> = ${JSON.stringify(await metricsOfOperators(), undefined, 2)};
`;
writeFileSync(data, text);
spawnSync('npx', ['biome', 'format', '--write', fileURLToPath(data)]);
