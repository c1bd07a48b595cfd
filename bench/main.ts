import { parseArgs } from 'node:util';
import { benchAdmission } from './admission/admission.ts';
import { benchApiServer } from './apiserver/apiserver.ts';
import { benchManager } from './manager/manager.ts';
import { type Comparison, formatComparison, meetsTarget, ratio } from './comparison.ts';

const BENCHMARKS: Readonly<Record<string, () => Promise<Comparison>>> = {
  apiserver: benchApiServer,
  manager: benchManager,
  admission: benchAdmission,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false } },
});

const [name = ''] = positionals;
const benchmark = Object.hasOwn(BENCHMARKS, name) ? BENCHMARKS[name] : undefined;
if (benchmark === undefined) {
  console.error(`npm run bench -- NAME [--json]\nnames: ${Object.keys(BENCHMARKS).join(', ')}`);
  process.exitCode = 1;
} else {
  const comparison = await benchmark();
  const rows = comparison.rows.map((row) => ({ ...row, ratio: ratio(row), kept: meetsTarget(row) }));
  console.log(
    values.json ? JSON.stringify({ ...comparison, rows }, undefined, 2) : formatComparison(comparison),
  );
}
