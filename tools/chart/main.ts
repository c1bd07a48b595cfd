// npm run chart: writes charts/kubewright. test/chart.test.ts checks that it is current.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { chartFiles } from './chart-files.ts';

const folder = new URL('../../charts/kubewright/', import.meta.url);
rmSync(folder, { recursive: true, force: true });
mkdirSync(new URL('templates/', folder), { recursive: true });
for (const [name, text] of await chartFiles()) writeFileSync(new URL(name, folder), text);
